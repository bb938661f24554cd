import { expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { runMarkdown } from "../../src/render/run-markdown.ts";
import { createRunProjection } from "../../src/status/run-projection.ts";
import { stage } from "../parts/stage.ts";

const each = (items: string, more = "") => `
name: t
nodes:
  - { id: list, bash: list }
  - id: deploy
    depends_on: [list]
    loop:
      for_each: ${items}
      prompt: "deploy $LOOP_ITEM"
      ${more}
`;

test.each([
  ["a literal list", '["a", "b"]', ""],
  ["a node's JSON", "$list.output", '["a","b"]'],
  ["a node's lines", "$list.output", "a\nb\n"],
])("items come from %s", async (_, items, listed) => {
  const it = stage(each(items), { shell: () => listed });
  await it.begin();
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["deploy a", "deploy b"]);
  expect(it.of("loop.started")).toMatchObject([{ mode: "for-each", items: 2 }]);
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "iterations-done", iterations: 2 });
});

test("a delay comes before each item but the first", async () => {
  const it = stage(each('["a", "b", "c"]', "delay: 5000"));
  await it.begin();
  expect(it.waits).toEqual([5000, 5000]);
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 3 });
});

test("a list that turns out empty is done at once", async () => {
  const it = stage(each("$list.output"), { shell: () => "[]" });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "iterations-done", iterations: 0 });
});

const long = JSON.stringify(
  Array.from({ length: 9 }, (_, at) => ({ name: `package ${at}` })),
  null,
  2,
);

test.each([
  [
    "JSON that breaks off",
    long.slice(0, -20),
    "the output of list starts like a JSON list but is not valid JSON",
  ],
  [
    "JSON that breaks off in its first line",
    '[{"name": "a"}, {"na',
    "the output of list starts like a JSON list",
  ],
  [
    "JSON without its middle",
    `[1,\n[… 812 bytes left out …]\n2]`,
    "812 bytes are left out of the output of list",
  ],
  ["lines without some", "a\n[… 812 bytes left out …]\nb", "812 bytes are left out of the output of list"],
])("%s is no list: no item runs, and what is not complete is named", async (_, listed, because) => {
  const it = stage(each("$list.output"), { shell: () => listed });
  await it.begin();
  expect(it.prompts).toEqual([]);
  expect(it.end()).toMatchObject({
    conclusion: "failure",
    because: expect.stringContaining(`the list of deploy is incomplete: ${because}`),
  });
});

test.each([
  ["in brackets", "[1/2] build\n[2/2] test"],
  ["of JSON", '["a", 1]\n["b", 2]'],
])("lines %s are items", async (_, listed) => {
  const it = stage(each("$list.output"), { shell: () => listed });
  await it.begin();
  expect(it.of("loop.started")).toMatchObject([{ items: 2 }]);
});

test("no more items run in parallel than allowed", async () => {
  let atWork = 0;
  let most = 0;
  const it = stage(each('["a", "b", "c", "d", "e"]', "max_concurrency: 2"), {
    async agent() {
      most = Math.max(most, ++atWork);
      await new Promise((resolve) => setImmediate(resolve));
      atWork -= 1;
      return "ok";
    },
  });
  await it.begin();
  expect(most).toBe(2);
});

test("a failed item keeps further ones from starting, unless the file says continue", async () => {
  const bad = ({ prompt }: { readonly prompt: string }) =>
    prompt.endsWith("b") ? new AgentError("crash", "b broke") : "ok";
  const fail = stage(each('["a", "b", "c"]'), { agent: bad });
  await fail.begin();
  expect(fail.prompts).toHaveLength(2);
  expect(fail.end()).toMatchObject({ conclusion: "failure", because: "item 2 of 3 failed: b broke" });
  const goOn = stage(each('["a", "b", "c"]', "on_error: continue"), { agent: bad });
  await goOn.begin();
  expect(goOn.end()).toMatchObject({ conclusion: "success" });
  expect(goOn.of("node.ended").at(-1)?.result).toEqual(["ok", null, "ok"]);
});

test("a conflict that is passed over is in the event of its item and in the summary, with both items and the file", async () => {
  const diff = { files: 1, added: 1, removed: 0, paths: ["x.js"] };
  const it = stage(each('["a", "b", "c"]', "isolation: worktree\n      on_error: continue"), {
    workspace(request) {
      if (request.op === "fork") return { path: `/forks/${request.name}`, commit: "c" };
      if (request.op !== "join") return {};
      return request.name === "deploy-1"
        ? { diff }
        : request.name === "deploy-3"
          ? { conflicts: ["x.js"] }
          : {};
    },
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success" });
  const conflict = "item 3 conflicts with item 1 in x.js";
  expect(it.of("iteration.ended").map((event) => event.conflict)).toEqual([undefined, undefined, conflict]);
  const projection = createRunProjection();
  for (const event of it.events) projection.emit(event);
  expect(runMarkdown(projection.summary)).toContain(`${conflict}: its work is left out`);
});

test("an item in a work tree of its own is joined when it is done, and a conflict fails it", async () => {
  const asked: string[] = [];
  const it = stage(each('["a", "b"]', "isolation: worktree"), {
    workspace(request) {
      asked.push(request.op);
      if (request.op === "fork") return { path: `/forks/${request.name}`, commit: "c" };
      return request.op === "join" && request.name === "deploy-2" ? { conflicts: ["x.js"] } : {};
    },
  });
  await it.begin();
  expect(asked).toEqual(["fork", "join", "fork", "join"]);
  expect(it.end()).toMatchObject({ conclusion: "failure", because: expect.stringContaining("x.js") });
});
