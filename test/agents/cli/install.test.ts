import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { installProgram } from "../../../src/agents/cli/install.ts";
import { lookFor } from "../../../src/agents/cli/program.ts";
import { isProgram, locks } from "../../../src/agents/install.ts";
import { cliAgents } from "../../../src/agents/registry.ts";
import { openNpmRegistry, type Package } from "../../parts/npm-registry.ts";

const program = { name: "fakeagent", package: "fake-agent", from: "1.0.0", below: "2.0.0" };
const packageOf = (version: string) => ({
  name: "fake-agent",
  version,
  bin: { fakeagent: "bin.js" },
  files: { "bin.js": "#!/usr/bin/env node\n" },
  scripts: { postinstall: "touch ran-a-script" },
});

async function scene(versions: readonly string[], packages: readonly Package[] = versions.map(packageOf)) {
  const folder = await mkdtemp(join(tmpdir(), "agents-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const registry = await openNpmRegistry(packages);
  const said: string[] = [];
  const environment = {
    PATH: [dirname(process.execPath), ...(process.env["PATH"] ?? "").split(delimiter)].join(delimiter),
    HOME: folder,
    ...registry.env,
  };
  const say = (text: string) => void said.push(text);
  return { folder, registry, said, options: { environment, folder, say } };
}

test("the versions installed are those that the agents' tests run", () => {
  const { dependencies } = JSON.parse(readFileSync("test/real-agents/clis/package.json", "utf8"));
  const tested = cliAgents.map(({ program }) => [program.package, program.tested]);
  expect(Object.fromEntries(tested)).toEqual(dependencies);
  expect(cliAgents.every(({ name }) => isProgram(name))).toBe(true);
  expect(["api", "scripted"].some(isProgram)).toBe(false);
});

test("a program that is not here is installed once in the version asked for, and no script of it runs", async () => {
  const { folder, registry, said, options } = await scene(["1.2.3", "1.4.0"]);
  const home = await installProgram(program, { ...options, version: "1.2.3" });
  expect(lookFor(program, { environment: {}, installed: home })).toMatchObject({ version: "1.2.3" });
  expect(existsSync(join(home ?? "", "node_modules/fake-agent/ran-a-script"))).toBe(false);
  expect(said).toEqual([
    "Installing fakeagent 1.2.3 (fake-agent)",
    "What fake-agent@1.2.3 depends on is not locked: no version of it is",
  ]);
  const fetched = registry.asked.length;
  expect(await installProgram(program, { ...options, version: "1.2.3" })).toBe(home);
  expect(registry.asked).toHaveLength(fetched);
  const other = await installProgram(program, { ...options, version: "1.4.0" });
  expect(lookFor(program, { environment: {}, installed: [other ?? "", home ?? ""] })?.version).toBe("1.4.0");
  expect((await readdir(folder)).filter((name) => name.startsWith(".fakeagent"))).toEqual([]);
});

test("the agents that we test are locked with the hash of every package, but opencode", async () => {
  const unlocked: string[] = [];
  for (const { name, program } of cliAgents) {
    const lock = (await locks[name]?.())?.default as Lock | undefined;
    if (lock === undefined) unlocked.push(name);
    const { "": root, ...packages } = lock?.packages ?? {};
    if (lock !== undefined) expect(root?.dependencies).toEqual({ [program.package]: program.tested });
    for (const [path, { integrity = "", inBundle }] of Object.entries(packages))
      expect(integrity.startsWith("sha512-") || inBundle === true, `${name}: ${path}`).toBe(true);
  }
  // The registry that this was made with lacks packages of its other platforms.
  expect(unlocked).toEqual(["opencode"]);
});

interface Lock {
  readonly packages: Readonly<
    Record<string, { dependencies?: object; integrity?: string; inBundle?: boolean }>
  >;
}

test("a version with a lockfile is installed as it says, and not if the registry gives out something else", async () => {
  const library = { name: "library", version: "1.0.0", bin: {}, files: { "index.js": "" } };
  const agent = { ...packageOf("1.2.3"), dependencies: { library: "^1.0.0" } };
  const { folder, registry, options } = await scene([], [agent, library, { ...library, version: "1.1.0" }]);
  const asked = { ...options, version: "1.2.3" };
  const tested = { ...program, tested: "1.2.3" };
  const lock = await lockOf(folder, options.environment, "1.0.0");
  const home = (await installProgram(tested, { ...asked, lock })) ?? "";
  const there = JSON.parse(readFileSync(join(home, "node_modules/library/package.json"), "utf8"));
  expect(there.version).toBe("1.0.0");
  await rm(home, { recursive: true });
  await rm(registry.env.npm_config_cache, { recursive: true });
  await registry.tamper(library, { "index.js": "steal()" });
  await expect(installProgram(tested, { ...asked, lock })).rejects.toThrow(/EINTEGRITY/);
  expect(existsSync(home)).toBe(false);
});

/** As `npm run agents:update` makes them, for an older version of the library. */
async function lockOf(folder: string, env: NodeJS.ProcessEnv, library: string): Promise<object> {
  const cwd = await mkdtemp(join(folder, "lock-"));
  const wanted = { private: true, dependencies: { "fake-agent": "1.2.3" }, overrides: { library } };
  await writeFile(join(cwd, "package.json"), JSON.stringify(wanted));
  const args = ["install", "--package-lock-only", "--omit-lockfile-registry-resolved", "--loglevel=error"];
  await promisify(execFile)("npm", args, { cwd, env, timeout: 20_000 });
  return JSON.parse(readFileSync(join(cwd, "package-lock.json"), "utf8"));
}

test("what is on the PATH is used, unless another version is asked for", async () => {
  const { options } = await scene(["1.2.3", "1.4.0"]);
  const home = (await installProgram(program, { ...options, version: "1.2.3" })) ?? "";
  const PATH = `${join(home, "node_modules/.bin")}${delimiter}${options.environment.PATH}`;
  const environment = { ...options.environment, PATH };
  expect(await installProgram(program, { ...options, environment })).toBeUndefined();
  expect(await installProgram(program, { ...options, environment, version: "1.2.3" })).toBeUndefined();
  expect(await installProgram(program, { ...options, environment, version: "1.4.0" })).toMatch(/1\.4\.0/);
});

test("two jobs that install it at once both have it", async () => {
  const { options } = await scene(["1.2.3"]);
  const both = await Promise.all([1, 2].map(() => installProgram(program, { ...options, version: "1.2.3" })));
  expect(both[0]).toBe(both[1]);
});

test("a version that is not there, and an npm that is not there, are said with what to do", async () => {
  const { folder, options } = await scene(["1.2.3"]);
  await expect(installProgram(program, { ...options, version: "1.9.9" })).rejects.toThrow(
    /^fake-agent@1\.9\.9 could not be installed: .*1\.9\.9.*\. Check that the npm registry is reachable/s,
  );
  expect(await readdir(folder).then((names) => names.filter((name) => /fakeagent/.test(name)))).toEqual([]);
  const nowhere = { ...options, environment: { PATH: folder }, npmBeside: folder, version: "1.2.3" };
  await expect(installProgram(program, nowhere)).rejects.toThrow(
    /there is no npm to install it with: add a step with actions\/setup-node before this one/,
  );
});
