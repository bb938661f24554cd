import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { lookFor } from "../../../src/agents/cli/program.ts";
import { installProgram, isProgram, type Lockfile, locks, unhashedIn } from "../../../src/agents/install.ts";
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
  const messages: string[] = [];
  const environment = {
    PATH: [dirname(process.execPath), ...(process.env["PATH"] ?? "").split(delimiter)].join(delimiter),
    HOME: folder,
    ...registry.env,
  };
  const say = (text: string) => void messages.push(text);
  return { folder, registry, messages, options: { environment, folder, say } };
}

test("the versions installed are those that the agents' tests run", () => {
  const { dependencies } = JSON.parse(readFileSync("test/real-agents/clis/package.json", "utf8"));
  const tested = cliAgents.map(({ program }) => [program.package, program.tested]);
  expect(Object.fromEntries(tested)).toEqual(dependencies);
  expect(cliAgents.every(({ name }) => isProgram(name))).toBe(true);
  expect(["api", "scripted"].some(isProgram)).toBe(false);
});

test("a program that is not here is installed once in the version asked for, and no script of it runs", async () => {
  const { folder, registry, messages, options } = await scene(["1.2.3", "1.4.0"]);
  const home = await installProgram(program, { ...options, version: "1.2.3" });
  expect(lookFor(program, { environment: {}, installed: home })).toMatchObject({ version: "1.2.3" });
  expect(existsSync(join(home ?? "", "node_modules/fake-agent/ran-a-script"))).toBe(false);
  expect(messages).toEqual([
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

test("the agents that we test are locked with the hash of every package", async () => {
  const without: string[] = [];
  for (const { name, program } of cliAgents) {
    const lock = (await locks[name]?.())?.default;
    expect(lock?.packages[""], name).toMatchObject({ dependencies: { [program.package]: program.tested } });
    without.push(...unhashedIn(lock ?? { packages: {} }));
    for (const { integrity = "sha512-" } of Object.values(lock?.packages ?? {}))
      expect(integrity).toMatch(/^sha512-/);
  }
  // The registry that the lockfiles were made with lacks these. On GitHub-hosted Ubuntu none of them is installed.
  expect(without.every((path) => /^node_modules\/opencode-/.test(path))).toBe(true);
  for (const build of ["", "-baseline"])
    expect(without).not.toContain(`node_modules/opencode-linux-x64${build}`);
});

test("a package that the lockfile has no hash of is named when it is installed", async () => {
  const build = { name: "agent-build", version: "1.2.3", bin: {}, files: { "index.js": "" } };
  const agent = {
    ...packageOf("1.2.3"),
    optionalDependencies: { "agent-build": "1.2.3", elsewhere: "1.2.3" },
  };
  const { folder, messages, options } = await scene([], [agent, build]);
  const made = await lockOf(folder, options.environment, "1.0.0");
  const { integrity: _, ...unhashed } = made.packages["node_modules/agent-build"] ?? {};
  const elsewhere = { version: "1.2.3", os: ["aix"], cpu: ["ppc64"], optional: true };
  const added = { "node_modules/agent-build": unhashed, "node_modules/elsewhere": elsewhere };
  const lock = { ...made, packages: { ...made.packages, ...added } };
  await installProgram({ ...program, tested: "1.2.3" }, { ...options, version: "1.2.3", lock });
  expect(messages).toEqual([
    "Installing fakeagent 1.2.3 (fake-agent)",
    "What agent-build@1.2.3 holds is not locked: our lockfile has no hash of it",
  ]);
});

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
async function lockOf(folder: string, env: NodeJS.ProcessEnv, library: string): Promise<Lockfile> {
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

test("a missing version and a missing npm are reported with a remedy", async () => {
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
