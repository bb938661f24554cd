import { expect, test } from "vitest";
import { conclude } from "../../src/engine/conclusion.ts";
import { failed, type Outcome } from "../../src/engine/outcome.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { blocksFile, blocksPlan } from "../dialects/blocks/files.ts";
import { planOf } from "../parts/stage.ts";

const nodes = (...lines: readonly string[]) =>
  planOf(`name: t\nnodes:\n${lines.map((line) => `  - ${line}\n`).join("")}`);
const plan = nodes("{ id: a, bash: a }", "{ id: b, bash: b, depends_on: [a] }", "{ id: c, bash: c }");
const done: Outcome = { status: "completed", output: "" };

const results = (entries: Readonly<Record<string, string | { output: string; result: never }>>) =>
  new Map(
    Object.entries(entries).map(([id, value]) => [id, typeof value === "string" ? { output: value } : value]),
  );

const ending = (about: Partial<Parameters<typeof conclude>[0]>) =>
  conclude({ plan, outcome: done, results: new Map(), lastLoop: undefined, review: [], ...about });

test.each<[string, Partial<Parameters<typeof conclude>[0]>, object]>([
  ["that completed", {}, { conclusion: "success", stop_reason: "completed" }],
  ["whose loop fired a stop", { lastLoop: "signal" }, { conclusion: "success", stop_reason: "signal" }],
  [
    "whose loop had nothing to do",
    { lastLoop: "nothing-to-do" },
    { conclusion: "skipped", stop_reason: "nothing-to-do" },
  ],
  [
    "that failed",
    { outcome: failed("timeout", "too late"), lastLoop: "signal" },
    { conclusion: "failure", stop_reason: "timeout", because: "too late" },
  ],
  [
    "in which no node ran",
    { outcome: { status: "skipped", because: "its condition is false", byFailure: false } },
    { conclusion: "skipped", stop_reason: "not-selected", because: "its condition is false" },
  ],
  [
    "that a person cancelled",
    { outcome: { status: "cancelled", because: "enough" } },
    { conclusion: "cancelled", stop_reason: "cancelled", because: "enough" },
  ],
])("a run %s ends so", (_, about, end) => {
  expect(ending(about)).toEqual({ ...end, output: "", results: {} });
});

test("a failed run with results is partly done", () => {
  expect(ending({ outcome: failed("node-failed", "no"), results: results({ a: "one" }) })).toEqual({
    conclusion: "failure",
    stop_reason: "node-failed",
    because: "no",
    partial: true,
    output: "",
    results: { a: "one" },
  });
});

test("the output is that of the first node that no other reads and that said something", () => {
  const output = (entries: Parameters<typeof results>[0]) => ending({ results: results(entries) }).output;
  expect(output({ c: "from c", b: "from b", a: "from a" })).toBe("from b");
  expect(output({ c: "from c", b: " \n", a: "from a" })).toBe("from c");
  expect(output({ a: "from a" })).toBe("");
});

const result = { ok: true } as never;

test("a node's result is its structured result, if it has one", () => {
  const both = results({ a: { output: "text", result }, b: "from b" });
  expect(ending({ results: both }).results).toEqual({ a: { ok: true }, b: "from b" });
});

test("of blocks, the output is that of the last one reached at the top, and results are texts", () => {
  const source = blocksFile(
    { entry: "a", transitions: "[{ from: a, to: l }]" },
    "  a: { type: linear, soul_ref: writer }",
    "  x: { type: linear, soul_ref: writer }",
    "  l: { type: loop, inner_block_refs: [x], max_rounds: 2 }",
  );
  const blocks = blocksPlan(source);
  const end = ending({ plan: blocks, results: results({ a: { output: "text", result }, x: "inner" }) });
  expect(end).toMatchObject({ output: "text", results: { a: "text", x: "inner" } });
  expect(ending({ plan: blocks }).output).toBe("");
});

test.each<[string, unknown, string | undefined]>([
  ["true", { ok: true }, "succeeded"],
  ["false", { ok: false }, "failed"],
  ["a text", { ok: "true" }, undefined],
  ["nothing", {}, undefined],
  ["a list", [true], undefined],
  ["null", null, undefined],
  ["no result", undefined, undefined],
])("a workflow's own outcome is what its field says: %s", (_, value, outcome) => {
  const own: Plan = { ...plan, outcome: { node: "a", field: "ok" } };
  const entry = { output: "text", ...(value === undefined ? {} : { result: value as never }) } as never;
  expect(ending({ plan: own, results: results({ a: entry }) }).outcome).toBe(outcome);
  expect(ending({ results: results({ a: entry }) })).not.toHaveProperty("outcome");
});
