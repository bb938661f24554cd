import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import type { Props } from "./stage.ts";

/**
 * A world in which this many tests fail after each attempt, and attempt N changes 4 + N lines. A test may give other
 * answers of the workspace, and sees what it was asked.
 */
export function attemptWorld(
  failing: readonly number[],
  answer: (request: WorkspaceRequest) => WorkspaceAnswer | undefined = () => undefined,
) {
  const asked: WorkspaceRequest[] = [];
  const numberIn = (text: string) => Number(/-(\d+)$/.exec(text)?.[1] ?? 0);
  const props: Props = {
    workspace(request) {
      asked.push(request);
      const special = answer(request);
      if (special !== undefined) return special;
      if (request.op === "fork") return { path: `/forks/${request.name}`, commit: `base-${request.name}` };
      if (request.op === "diff") return { patch: `+by ${request.to}` };
      if (request.op === "snapshot")
        return { commit: `commit-${asked.length}`, tree: `tree-${asked.length}` };
      if (request.op !== "close") return {};
      const diff = { files: 1, added: 4, removed: numberIn(request.name), paths: ["a.js"] };
      return { commit: `end-${request.name}`, tree: `tree-${request.name}`, diff };
    },
    shell({ role, clean }, _, { workspace }) {
      if (role !== "check" || clean !== undefined) return 0;
      const failed = failing[numberIn(workspace) - 1] ?? 0;
      const tests = { runner: "vitest", passed: 5, failed, skipped: 0 };
      return { exitCode: failed === 0 ? 0 : 1, tail: "", tests };
    },
  };
  return { asked, props };
}
