import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KeptClones } from "../../src/local/kept-clones.ts";
import { runInClone } from "../../src/local/run-in-clone.ts";
import type { CleanClone } from "../../src/ports/shell.ts";
import { bashShell } from "../../src/processes/shell.ts";
import { storageFolder } from "../../src/processes/temp-folder.ts";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { commitOf, openPlayground } from "../workspace/playground.ts";

const files = { "src/a.txt": "a\n", "package.json": "{}\n" };
/** Installs a package, and counts how often. */
const install = "mkdir -p node_modules/p; echo once >> node_modules/p/log";
/** Compiles to a cache in the home folder, if that is not there yet. */
const compile = 'echo "$PWD"; cat "$HOME/cache" 2>/dev/null; echo compiled > "$HOME/cache"';

/** A checkout with its first snapshot, and a shell that can keep clones. */
async function open(script = compile, setup = install) {
  const { root: top, workspace: cwd, snapshot, write } = openPlayground({ files });
  const base = await commitOf(snapshot());
  const artifacts = join(top, "artifacts");
  mkdirSync(artifacts);
  const options = {
    cwd,
    environment: { PATH: process.env["PATH"], HOME: top },
    workspace: gitWorkspace({ privateDir: (runId) => join(top, "private", runId) }),
    open: bashShell,
    changed: [],
    makeRoot: () => mkdtempSync(join(storageFolder(), "until-green-test-")),
    settings: { writeTo: () => undefined },
    clones: new KeptClones(),
  };
  const run = (clean: Partial<CleanClone>) =>
    runInClone(
      options,
      {
        ...{ role: "check", script, env: {}, timeoutMs: 20_000 },
        clean: { base, commit: base, guard: { scripts: [], allow: [], tests: false }, setup, ...clean },
      },
      {
        ...{ signal: AbortSignal.timeout(20_000), workspace: cwd, artifacts, onText: () => undefined },
        env: { UNTIL_GREEN_RUN: "run-0001" },
      },
    );
  return {
    run,
    write,
    cwd,
    snapshot: () => commitOf(snapshot()),
    kept: () =>
      readdirSync(storageFolder()).filter((name) => name.includes(`-kept-${process.pid.toString(36)}.`)),
  };
}

const lines = (text: string) => text.trim().split("\n");

test("the clone of the work has what the clone before the agent compiled and installed, at the same place", async () => {
  const it = await open(`${compile}; cat node_modules/p/log src/a.txt`);
  const first = await it.run({ keep: true });
  it.write({ "src/a.txt": "b\n" });
  const second = await it.run({ commit: await it.snapshot() });
  const [place] = lines(first.stdout);
  expect(lines(first.stdout)).toEqual([place, "once", "a"]);
  expect(lines(second.stdout)).toEqual([place, "compiled", "once", "b"]);
  expect(first.clean?.warm).toBeUndefined();
  expect(second.clean).toMatchObject({ setup: install, warm: true });
  expect(it.kept()).toEqual([]);
});

test("it is used once", async () => {
  const it = await open();
  await it.run({ keep: true });
  await it.run({});
  const third = await it.run({});
  expect(third.clean?.warm).toBeUndefined();
  expect(third.stdout).not.toContain("compiled");
});

test.each<[string, (folder: string) => void]>([
  ["a changed file", (folder) => writeFileSync(join(folder, "home/cache"), "compiled\n")],
  ["a new file", (folder) => writeFileSync(join(folder, "home/.npmrc"), "")],
  ["a removed file", (folder) => rmSync(join(folder, "home/cache"))],
])("it is not used after an agent that found it: %s", async (_, change) => {
  const it = await open();
  await it.run({ keep: true });
  const [name = ""] = it.kept();
  change(join(storageFolder(), name, "clone"));
  const second = await it.run({});
  expect(second.clean?.warm).toBeUndefined();
  expect(second.stdout).not.toContain("compiled");
  expect(it.kept()).toEqual([]);
});

interface Setup {
  readonly setup?: string;
  readonly change: Readonly<Record<string, string>>;
  readonly times: number;
}

test.each<[string, Setup]>([
  ["not for another source", { change: { "src/a.txt": "b\n" }, times: 1 }],
  ["for another manifest", { change: { "package.json": '{ "name": "x" }\n' }, times: 2 }],
  [
    "if it makes something of the sources",
    { setup: `${install}; cp src/a.txt built.txt`, change: { "src/a.txt": "b\n" }, times: 2 },
  ],
])("the setup runs again %s", async (_, { setup, change, times }) => {
  const it = await open("cat node_modules/p/log; cat built.txt 2>/dev/null || true", setup);
  await it.run({ keep: true });
  it.write(change);
  const { stdout, clean } = await it.run({ commit: await it.snapshot() });
  expect(clean?.warm).toBe(true);
  expect(stdout.match(/once/g)).toHaveLength(times);
  expect(stdout).not.toContain("a\n");
});

test("the setup runs again if the check removed what it had installed", async () => {
  const it = await open("cat node_modules/p/log; rm -rf node_modules");
  await it.run({ keep: true });
  const { stdout, exitCode } = await it.run({});
  expect([stdout, exitCode]).toEqual(["once\n", 0]);
});

test("a setup that removes a manifest is no obstacle", async () => {
  const it = await open(compile, `rm package.json; ${install}`);
  expect(await it.run({ keep: true })).toMatchObject({ exitCode: 0, clean: { leaves: true } });
});

const tag = "mkdir -p out; echo 'Signature: 8a477f597d28d172789f06886806bc55' > out/CACHEDIR.TAG";

test.each<[string, string, boolean]>([
  ["nothing", "true", false],
  ["a report", "echo ok > report.xml", true],
  ["a report whose name is not ASCII", "echo ok > prüfung.xml", true],
  ["another source", "echo ok > src/a.txt", true],
  ["a cache that says that it is one", tag, false],
])("a check leaves %s", async (_, script, leaves) => {
  const it = await open(script);
  expect((await it.run({ keep: true })).clean?.leaves ?? false).toBe(leaves);
});

test("what a check built is not there for the next one, but for caches", async () => {
  const it = await open(`ls; ${tag}; mkdir -p dist`);
  await it.run({ keep: true });
  const { stdout } = await it.run({});
  expect(lines(stdout)).toEqual(["node_modules", "out", "package.json", "src"]);
});

test("files that the work has not changed keep their time, and others are newer", async () => {
  const it = await open("stat -c %y package.json src/a.txt");
  const first = await it.run({ keep: true });
  it.write({ "src/a.txt": "b\n" });
  const second = await it.run({ commit: await it.snapshot() });
  expect(lines(first.stdout)[0]).toBe(lines(second.stdout)[0]);
  expect(lines(second.stdout)[1]?.localeCompare(lines(second.stdout)[0] ?? "")).toBe(1);
});

test("a link that the work puts in the way of installed packages is not followed", async () => {
  const it = await open("ls elsewhere node_modules", "mkdir -p packages/a/node_modules/p");
  await it.run({ keep: true });
  it.write({ "elsewhere/b.txt": "b\n" });
  mkdirSync(join(it.cwd, "packages"));
  symlinkSync("../elsewhere", join(it.cwd, "packages/a"));
  const { stdout } = await it.run({ commit: await it.snapshot() });
  expect(stdout).toContain("b.txt");
  expect(stdout).not.toContain("node_modules/p");
});
