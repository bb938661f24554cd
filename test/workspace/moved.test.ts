import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { openPlayground, runGit } from "./playground.ts";

test("a checkout that was moved with its run keeps its snapshots and leaves out what it left out before", async () => {
  const { root, top, write, git } = openPlayground({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
  write({ "../ignore": "*.mine\n", "notes.mine": "mine" });
  git("config", "core.excludesFile", join(root, "ignore"));
  const at = (workspace: string) => {
    const dir = join(workspace, ".git", "private");
    const context = { runId: "run-0001", workspace, signal: AbortSignal.timeout(20_000) };
    const { handle } = gitWorkspace({ privateDir: () => dir });
    return {
      ask: (request: Parameters<typeof handle>[0]) => handle(request, context),
      kept: (...args: readonly string[]) => runGit(root, "--git-dir", join(dir, "snapshots.git"), ...args),
    };
  };
  const { commit } = await at(top).ask({ op: "snapshot", since: undefined, message: "one" });
  const moved = join(root, "moved");
  renameSync(top, moved);
  const later = at(moved);
  await later.ask({ op: "restore", commit: commit ?? "" });
  const next = await later.ask({ op: "snapshot", since: commit, message: "two" });
  expect(next.diff?.paths).toEqual([]);
  expect(later.kept("ls-tree", "-r", "--name-only", next.commit ?? "")).toBe("a.txt\nb.txt\n");
});
