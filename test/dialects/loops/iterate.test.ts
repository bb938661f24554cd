import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { compile } from "../../../src/compile/compile.ts";
import { AgentError } from "../../../src/ports/agent.ts";
import type { FileRequest } from "../../../src/ports/file.ts";
import { noSuchFile } from "../../../src/ports/unreadable.ts";
import { stage } from "../../parts/stage.ts";
import { child, diagnosticsOf, loop, play } from "./files.ts";

const over = (...fields: readonly string[]) => loop("mode: iterate", "max_iterations: 10", ...fields);
const prompts = (it: ReturnType<typeof play>) =>
  it.prompts.filter(({ node }) => node === "work").map(({ prompt }) => prompt);
const refusal = new AgentError("auth", "no key");

const lists: readonly (readonly [title: string, items: string, seen: readonly string[]])[] = [
  ["a list", '["a", {"n": 1}]', ["a", '{"n":1}']],
  ["a value a line", '{"n": 1}\n{"n": 2}', ['{"n":1}', '{"n":2}']],
  ["lines of text", "one\n\n  two\n", ["one", "two"]],
  ["an empty list", "[]", []],
];

test.each(lists)("items may be %s", async (_, items, seen) => {
  const run = play(over(`items: ${JSON.stringify(items)}`, "with: {it: '{{loop.item}}'}"), {
    child: child("{{it}}"),
  });
  await run.begin();
  expect(prompts(run)).toEqual(seen);
  expect(run.end()).toMatchObject({ conclusion: "success", stop_reason: "iterations-done" });
});

test("no items at all are a failure", async () => {
  const source = `${over("items: '{{first}}'")}steps:\n  - {name: first, run: x}\n`;
  const it = play(source, { child: child("x") }, { work: () => " " });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "node-failed" });
});

test("an item's parameters read its place and how the others went", async () => {
  const prompt = "{{loop.index}}/{{loop.count}} {{loop.current}} {{loop.stats.succeeded}}+{{loop.failed}}";
  const it = play(
    over("items: [a, b, c]", "on_failure: continue"),
    { child: child(prompt) },
    { work: (_, iteration) => (iteration === 2 ? refusal : "done") },
  );
  await it.begin();
  expect(prompts(it)).toEqual(["0/3 a 0+0", "1/3 b 1+0", "2/3 c 1+1"]);
});

test("the workflow gets its parameters and the item as JSON", async () => {
  const it = play(over("items: [{n: 1}]", "with: {who: 'a \"b\"'}"), { child: child("{{input}}") });
  await it.begin();
  expect(JSON.parse(prompts(it)[0] ?? "")).toEqual({ who: 'a "b"', item: { n: 1 } });
});

test("items beyond the maximum are left out, with a notice", async () => {
  const source = loop("mode: iterate", "max_iterations: 2", "items: [a, b, c]");
  const it = play(source, { child: child("x") });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2, output: "work 2" });
  expect(it.of("notice")).toMatchObject([{ code: "ITEMS_LEFT_OUT" }]);
});

const policies: readonly (readonly [
  title: string,
  fields: readonly string[],
  asked: number,
  ends: string,
])[] = [
  ["halt, the default, begins no further item", [], 2, "failure"],
  ["halt, side by side, lets the others run", ["parallel: true", "max_workers: 1"], 3, "failure"],
  ["continue passes over it", ["on_failure: continue"], 3, "success"],
  ["retry tries it again and then passes over it", ["on_failure: retry", "max_retries: 2"], 5, "success"],
  ["a success rate that is met", ["on_failure: continue", "min_success_rate: 0.6"], 3, "success"],
  ["a success rate that is not met", ["on_failure: continue", "min_success_rate: 0.7"], 3, "failure"],
];

test.each(policies)("an item that fails: %s", async (...policy) => {
  const [, fields, asked, ends] = policy;
  const source = over("items: [a, b, c]", ...fields);
  const work = (_: string, iteration: number) => (iteration === 2 ? refusal : `got ${iteration}`);
  const it = play(source, { child: child("x") }, { work });
  await it.begin();
  expect(it.prompts).toHaveLength(asked);
  expect(it.end()).toMatchObject({ conclusion: ends });
});

test("steps after it read the last output, the count and everything it gathered", async () => {
  const end = 'steps:\n  - {name: end, run: "{{go}} {{loop.iteration}} {{go_accumulator}}"}\n';
  const it = play(`${over("items: [a, b]", "parallel: true")}${end}`, { child: child("x") });
  await it.begin();
  expect(it.prompts.at(-1)?.prompt).toBe("work 2 2 work 1\n---\nwork 2");
});

test("steps after it read how many items there were and how they went", async () => {
  const read = "{{loop.iterations}}/{{loop.count}} {{loop.succeeded}}+{{loop.stats.failed}}";
  const source = `${over("items: [a, b, c]", "on_failure: continue")}steps:\n  - {name: end, needs: [go], run: "${read}"}\n`;
  const work = (node: string, iteration: number) => (node === "work" && iteration === 2 ? refusal : "done");
  const it = play(source, { child: child("x") }, { work });
  await it.begin();
  expect(it.prompts.at(-1)?.prompt).toBe("3/3 2+1");
  expect(diagnosticsOf(source, { child: child("x") })).toEqual([]);
});

const texts = { "blank.txt": " \n", "large.txt": "x\n".repeat(200_000) };

const faults: readonly (readonly [title: string, fields: readonly string[], said: readonly string[]])[] = [
  ["a condition", ["items: [a]", "until: x"], ["~IGNORED_FIELD 8:5"]],
  ["no items", [], ["BAD_VALUE 5:5"]],
  ["blank items", ["items: ' '"], ["LOOP_EMPTY_LIST 7:12"]],
  ["a file that is not there", ["items: file://x"], ["BAD_VALUE 7:12"]],
  ["a file whose name is not known yet", ['items: "file://{{first}}"'], ["BAD_VALUE 7:12"]],
  ["a file of nothing", ["items: file://blank.txt"], ["LOOP_EMPTY_LIST 7:12"]],
  ["a file too large", ["items: file://large.txt"], ["LIMIT 7:12"]],
  ["no time at all", ["items: [a]", "timeout_per_item: 0s"], ["BAD_VALUE 8:23"]],
  ["a rate over one", ["items: [a]", "min_success_rate: 2"], ["BAD_VALUE 8:23"]],
];

test.each(faults)("a loop over items with %s", (_, fields, expected) => {
  expect(diagnosticsOf(over(...fields), { child: child("x") }, texts)).toEqual(expected);
});

/** A run in which every answer of an agent, and every wait, takes its time. */
async function timed(
  source: string,
  minutes: number,
  isSlow = (iteration: number): boolean => iteration === 2,
): Promise<ReturnType<typeof play>> {
  let now = Date.UTC(2026, 0, 1);
  const it = play(
    source,
    { child: child("x") },
    {
      metAt: 99,
      work(_, iteration) {
        now += minutes * 60_000;
        return isSlow(iteration) ? new AgentError("timeout", "too slow") : `got ${iteration}`;
      },
    },
  );
  Object.assign(it.world.clock, { now: () => new Date(now).toISOString() });
  await it.begin();
  return it;
}

test("an item has its own time, and all of them together theirs", async () => {
  const each = await timed(over("items: [a, b, c]", "timeout_per_item: 5m", "on_failure: continue"), 3);
  expect(each.prompts.map(({ timeoutMs }) => timeoutMs)).toEqual([300_000, 300_000, 300_000]);
  expect(each.end()).toMatchObject({ conclusion: "success" });
  const total = await timed(over("items: [a, b, c]", "total_timeout: 5m", "on_failure: continue"), 3);
  expect(total.prompts.map(({ timeoutMs }) => timeoutMs)).toEqual([300_000, 120_000]);
  expect(total.end()).toMatchObject({ conclusion: "failure", stop_reason: "timeout" });
  const late = await timed(
    over("items: [a, b]", "total_timeout: 5m", "on_failure: continue"),
    3,
    () => false,
  );
  expect(late.end()).toMatchObject({ conclusion: "success", iterations: 2 });
});

test("a loop that refines has a total time too, whatever its failures mean", async () => {
  const refine = (max: number) =>
    loop(`max_iterations: ${max}`, "until: x", "total_timeout: 5m", "on_failure: continue");
  for (const max of [2, 9]) {
    const it = await timed(refine(max), 3);
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "timeout", iterations: 2 });
  }
});

test("the path of a file of items may name what the file says under env", () => {
  const text = `env: { from: list }\n${over("items: file://{{ env.from }}.txt")}`;
  expect(diagnosticsOf(text, { child: child("x") }, { "list.txt": "a\nb\n" })).toEqual([]);
});

const late = (path: string) =>
  `${over(`items: "file://${path}"`, "needs: [first]")}steps:\n  - {name: first, run: x}\n`;

test("a file of items that an earlier step can write is read when the loop starts", async () => {
  const asked: FileRequest[] = [];
  const it = stage(late("{{first}}"), {
    workflows: { child: child("{{loop.item}}") },
    agent: ({ node }) => (node === "first" ? " out/list.jsonl\n" : "done"),
    file: (request) => {
      asked.push(request);
      return { text: '{"n": 1}\n{"n": 2}\n' };
    },
  });
  await it.begin();
  expect(asked).toEqual([{ path: "out/list.jsonl", of: "checkout", most: 256 * 1024 }]);
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2 });
});

test.each(["/etc/hosts", "../list", "a/../../list"])(
  "a file of items outside of the checkout, %s, is refused",
  (path) => {
    expect(diagnosticsOf(late(path), { child: child("x") })).toEqual(["BAD_VALUE 7:12"]);
  },
);

test("a file of items that cannot be read then fails its loop, and says why", async () => {
  const it = stage(late("list.jsonl"), {
    workflows: { child: child("x") },
    file: () => ({ because: noSuchFile }),
  });
  await it.begin();
  expect(it.end()).toMatchObject({
    ...{ conclusion: "failure", stop_reason: "node-failed" },
    because: expect.stringContaining(`the items of go are in list.jsonl: ${noSuchFile}`),
  });
});

test("items may be in a file next to the workflow, read together with it", () => {
  const compiled = compile(
    { text: over("items: file://list.jsonl"), file: "w.yaml" },
    {
      agents: agentNames,
      command: () => undefined,
      text: (path) => (path === "list.jsonl" ? '{"n": 1}\n{"n": "{{input}}"}\n' : undefined),
      workflow: () => ({ file: "child.yaml", text: child("x") }),
    },
  );
  const [node] = compiled.ok ? compiled.plan.body.nodes : [];
  const items = node?.kind === "for-each" ? node.items : undefined;
  expect(items).toEqual({ kind: "text", text: ['{"n": 1}\n{"n": "{{input}}"}\n'], values: true });
});
