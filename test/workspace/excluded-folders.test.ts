import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WorkspaceRequest } from "../../src/ports/workspace.ts";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { openPlayground, runGit } from "./playground.ts";

const workflow = ".github/workflows/ci.yml";

test("a snapshot omits excluded folders, they stay in the checkout, and later ones omit them too", async () => {
  const { root, top, write, remove, git } = openPlayground({
    files: { "a.txt": "a\n", [workflow]: "on: push\n", ".github/workflows/old.yml": "x\n" },
  });
  const privateDir = () => join(root, "kept");
  const keeper = gitWorkspace({ privateDir, leaveOut: [".github/workflows"] });
  const ask = (request: WorkspaceRequest) =>
    keeper.handle(request, { runId: "run-0001", workspace: top, signal: AbortSignal.timeout(20_000) });
  const snapshot = (since?: string) => ask({ op: "snapshot", since, message: "iteration" });
  const filesOf = (commit = "") =>
    runGit(root, "--git-dir", join(root, "kept/snapshots.git"), "ls-tree", "-r", "--name-only", commit);
  write({ "a.txt": "b\n", [workflow]: "on: never\n", ".github/workflows/new.yml": "y\n" });
  remove(".github/workflows/old.yml");
  const first = await snapshot();
  expect(first.diff).toMatchObject({ files: 1, paths: ["a.txt"] });
  expect(filesOf(first.commit)).toBe(".github/workflows/ci.yml\n.github/workflows/old.yml\na.txt\n");
  write({ "a.txt": "c\n" });
  const second = await snapshot(first.commit);
  expect(second.diff).toMatchObject({ files: 1, paths: ["a.txt"] });
  expect(readFileSync(join(top, workflow), "utf8")).toBe("on: never\n");
  expect(git("status", "--porcelain")).toContain(".github/workflows/new.yml");
});
