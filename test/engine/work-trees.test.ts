import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import { type Stage, stage } from "../parts/stage.ts";

const each = (more: string, items: string) => `
name: t
nodes: [{ id: deploy, loop: { for_each: ${items}, isolation: worktree, prompt: "deploy $LOOP_ITEM"${more} } }]
`;

describe("items in work trees of their own", () => {
  const worktrees = each(", on_error: continue", '["a", "b", "bad", "d"]');
  const touching = (paths: readonly string[]): WorkspaceAnswer => ({
    diff: { files: paths.length, added: 1, removed: 0, paths: [...paths] },
  });

  async function joining(answer: (request: WorkspaceRequest) => WorkspaceAnswer, source = worktrees) {
    const asked: WorkspaceRequest[] = [];
    const it = stage(source, {
      agent: ({ prompt }) => (prompt.includes("bad") ? new AgentError("crash", "it broke") : "ok"),
      workspace(request) {
        asked.push(request);
        if (request.op === "fork")
          return { path: `/forks/${request.name}`, commit: `base of ${request.name}`, ...answer(request) };
        return answer(request);
      },
    });
    await it.begin();
    return { it, asked };
  }
  const conflicts = (it: Stage) => it.of("iteration.ended").map(({ conflict }) => conflict);

  test("are joined with what they started from, unless they failed", async () => {
    const { asked } = await joining(() => ({}));
    expect(asked).toEqual([
      ...["deploy-1", "deploy-2"].flatMap((name) => [
        { op: "fork", name },
        { op: "join", name, from: `base of ${name}` },
      ]),
      { op: "fork", name: "deploy-3" },
      { op: "fork", name: "deploy-4" },
      { op: "join", name: "deploy-4", from: "base of deploy-4" },
    ]);
  });

  test("that conflict name every item that changed the same files, or say that it was another one", async () => {
    const { it } = await joining((request) => {
      if (request.op !== "join") return {};
      if (request.name === "deploy-1") return touching(["a.js"]);
      if (request.name === "deploy-2") return touching(["b.js", "c.js"]);
      return { conflicts: ["a.js", "b.js", "c.js"] };
    });
    expect(conflicts(it).at(-1)).toBe("item 4 conflicts with item 1, item 2 in a.js, b.js, c.js");
    const { it: unknown } = await joining((request) =>
      request.op === "join" && request.name === "deploy-4" ? { conflicts: ["x.js"] } : {},
    );
    expect(conflicts(unknown).at(-1)).toBe("item 4 conflicts with another item in x.js");
  });

  test("whose work was left out are no reason for a conflict of a later one", async () => {
    const { it } = await joining((request) => {
      if (request.op !== "join" || request.name === "deploy-1") return {};
      return { ...touching(["a.js"]), conflicts: ["a.js"] };
    });
    expect(conflicts(it).at(-1)).toBe("item 4 conflicts with another item in a.js");
  });

  test("fail if their work tree cannot be made, or conflicts, with that as the reason", async () => {
    const strict = each("", '["a"]');
    const { it: full } = await joining(({ op }) => {
      if (op === "fork") throw new Error("the disk is full");
      return {};
    }, strict);
    expect(full.end()).toMatchObject({ because: "item 1 of 1 failed: the disk is full" });
    const { it } = await joining(({ op }) => (op === "join" ? { conflicts: ["x.js"] } : {}), strict);
    expect(it.of("node.ended").at(-1)).toMatchObject({ status: "failed" });
    expect(it.end()).toMatchObject({
      stop_reason: "node-failed",
      because: "item 1 of 1 failed: item 1 conflicts with another item in x.js",
    });
  });

  test("need a git repository", async () => {
    const it = stage(each("", '["a", "b", "c"]'));
    await it.begin();
    expect(it.prompts).toEqual([]);
    expect(it.end()).toMatchObject({
      stop_reason: "node-failed",
      because: "item 1 of 3 failed: isolation: worktree of deploy needs a git repository",
    });
  });
});
