import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bytes, readable } from "../../src/git/git.ts";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { openPlayground } from "./playground.ts";

test.each([
  ["plain", "a/b.txt"],
  ["in UTF-8", "caf\u00c3\u00a9 \u00f0\u009f\u0098\u0080"],
  ["in Latin-1", "caf\u00e9"],
  ["in both", "\u00e9\u00c3\u00a9\u00ff"],
  ["an encoded half character", "\u00ed\u00b3\u00bf"],
  ["cut off", "a\u00f0\u009f\u0098"],
  ["too long an encoding", "\u00c0\u00af"],
])("a name that is %s comes back to git as it was", (_, name) => {
  expect(bytes(readable(name))).toBe(name);
});

test("a file whose name is no UTF-8 is snapshotted, protected and cloned like any other", async () => {
  const play = openPlayground({ files: { "a.txt": "a\n" } });
  const odd = (name: string) => Buffer.from(`${play.top}/${name}`, "latin1");
  mkdirSync(odd("t\u00e9st"));
  const names = ["caf\u00e9.txt", "t\u00e9st/\u00ff.txt", "\u00e9\u00c3\u00a9.txt"];
  for (const name of names) writeFileSync(odd(name), "1\n");
  const { commit = "" } = await play.snapshot();
  const listed = play.kept("ls-tree", "-r", "--name-only", commit).trim().split("\n");
  expect(listed.toSorted()).toEqual(
    ['"caf\\351.txt"', '"t\\351st/\\377.txt"', '"\\351\\303\\251.txt"', "a.txt"].toSorted(),
  );
  writeFileSync(odd("caf\u00e9.txt"), "2\n");
  rmSync(odd("t\u00e9st/\u00ff.txt"));
  const { restored } = await play.ask({ op: "protect", commit, globs: ["**/*.txt"] });
  expect(restored).toHaveLength(2);
  for (const name of names) expect(readFileSync(odd(name), "utf8")).toBe("1\n");
  const keeper = gitWorkspace({ privateDir: (runId) => join(play.root, "private", runId) });
  const parent = join(play.root, "clone");
  const { workspace: clone } = await keeper.clone(
    { commit, base: commit, parent, guard: { scripts: [], allow: [], tests: false } },
    { runId: "run-0001", workspace: play.top, signal: AbortSignal.timeout(20_000) },
  );
  expect(readdirSync(clone, { encoding: "latin1" })).toContain("caf\u00e9.txt");
});
