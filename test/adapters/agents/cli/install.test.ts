import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claude } from "../../../../src/adapters/agents/claude.ts";
import { installProgram } from "../../../../src/adapters/agents/cli/install.ts";
import { lookFor } from "../../../../src/adapters/agents/cli/program.ts";
import { testedVersions } from "../../../../src/adapters/agents/cli/versions.ts";
import { isProgram } from "../../../../src/adapters/agents/install.ts";
import { openNpmRegistry } from "../../../parts/npm-registry.ts";

const program = { name: "fakeagent", package: "fake-agent", from: "1.0.0", below: "2.0.0" };
const packageOf = (version: string) => ({
  name: "fake-agent",
  version,
  bin: { fakeagent: "bin.js" },
  files: { "bin.js": "#!/usr/bin/env node\n" },
  scripts: { postinstall: "touch ran-a-script" },
});

async function scene(versions: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "agents-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const registry = await openNpmRegistry(versions.map(packageOf));
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
  const { dependencies } = JSON.parse(readFileSync("test/agents/clis/package.json", "utf8"));
  expect(testedVersions).toEqual(dependencies);
  expect(["claude", "codex", "gemini", "copilot", "opencode", "api", "scripted"].map(isProgram)).toEqual([
    ...[true, true, true, true, true],
    ...[false, false],
  ]);
  expect(testedVersions[claude.program.package]).toBe("2.1.330");
});

test("a program that is not here is installed once in the version asked for, and no script of it runs", async () => {
  const { folder, registry, said, options } = await scene(["1.2.3", "1.4.0"]);
  const home = await installProgram(program, { ...options, version: "1.2.3" });
  expect(lookFor(program, { environment: {}, installed: home })).toMatchObject({ version: "1.2.3" });
  expect(existsSync(join(home ?? "", "node_modules/fake-agent/ran-a-script"))).toBe(false);
  expect(said).toEqual(["Installing fakeagent 1.2.3 (fake-agent)"]);
  const fetched = registry.asked.length;
  expect(await installProgram(program, { ...options, version: "1.2.3" })).toBe(home);
  expect(registry.asked).toHaveLength(fetched);
  const other = await installProgram(program, { ...options, version: "1.4.0" });
  expect(lookFor(program, { environment: {}, installed: [other ?? "", home ?? ""] })?.version).toBe("1.4.0");
  expect((await readdir(folder)).filter((name) => name.startsWith(".fakeagent"))).toEqual([]);
});

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
    /^fake-agent@1\.9\.9 could not be installed: .*1\.9\.9.*\. See that the npm registry is reached/s,
  );
  expect(await readdir(folder).then((names) => names.filter((name) => /fakeagent/.test(name)))).toEqual([]);
  const nowhere = { ...options, environment: { PATH: folder }, npmBeside: folder, version: "1.2.3" };
  await expect(installProgram(program, nowhere)).rejects.toThrow(
    /there is no npm to install it with: add a step with actions\/setup-node before this one/,
  );
});
