import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commitOf, openPlayground } from "./playground.ts";

const context = (workspace: string) => ({
  runId: "run-0001",
  workspace,
  signal: AbortSignal.timeout(20_000),
});

/** The workspace of a later process, which remembers nothing. */
async function later(root: string) {
  vi.resetModules();
  const { gitWorkspace } = await import("../../src/workspace/workspace.ts");
  return gitWorkspace({ privateDir: (runId) => join(root, "private", runId) });
}

const file = (path: string, content = "damaged\0") => {
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, content);
};
const folder = (path: string) => {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(join(path, "x"), { recursive: true });
};

test.each([
  ["HEAD", file],
  ["HEAD", (path: string) => file(path, "")],
  ["HEAD", folder],
  ["config", file],
  ["config", (path: string) => file(path, "")],
  ["config", folder],
  ["info", file],
  ["until-green-ready", folder],
])("a private repository with a damaged %s is repaired and keeps its snapshots", async (name, damage) => {
  const { root, top, snapshot, write, kept } = openPlayground({ files: { "a.txt": "a\n" } });
  write({ "b.txt": "b\n" });
  const commit = await commitOf(snapshot());
  damage(join(root, "private/run-0001/snapshots.git", name));
  const { handle } = await later(root);
  write({ "a.txt": "changed\n" });
  await handle({ op: "restore", commit }, context(top));
  const next = await handle({ op: "snapshot", since: commit, message: "two" }, context(top));
  expect(next.diff?.paths).toEqual([]);
  expect(kept("ls-tree", "-r", "--name-only", next.commit ?? "")).toBe("a.txt\nb.txt\n");
});

test("a named pipe among the refs of a private repository is removed: git would wait for it", async () => {
  const { root, top, snapshot } = openPlayground({ files: { "a.txt": "a\n" } });
  const commit = await commitOf(snapshot());
  const store = join(root, "private/run-0001/snapshots.git");
  mkdirSync(join(store, "refs/tags"), { recursive: true });
  const pipe = join(store, "refs/tags/one");
  execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
  const { handle } = await later(root);
  await handle({ op: "restore", commit }, context(top));
  expect(existsSync(pipe)).toBe(false);
});

test("a file in the place of the run's private folder is reported with its path and the remedy", async () => {
  const { root, top, snapshot } = openPlayground({ files: { "a.txt": "a\n" } });
  await snapshot();
  const path = join(root, "private/run-0001");
  file(path);
  const { handle } = await later(root);
  const asked = handle({ op: "snapshot", since: undefined, message: "two" }, context(top));
  await expect(asked).rejects.toThrow(`${path} is not a folder`);
  await expect(asked).rejects.toThrow("move away what is in its place");
});
