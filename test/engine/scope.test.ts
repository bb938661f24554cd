import { describe, expect, test } from "vitest";
import type { ExecutionContext } from "../../src/engine/execution-context.ts";
import { createSequenceState } from "../../src/engine/sequence-state.ts";
import { UnresolvedError } from "../../src/expressions/scope.ts";
import { at, done, frame, outcomes } from "./place.ts";

const valuesOf = (scope: ReturnType<typeof at>, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, scope.text({ ref: "value", name })]));

const message = (text: () => unknown): unknown => {
  try {
    return text();
  } catch (error) {
    if (error instanceof UnresolvedError) return error.message;
    throw error;
  }
};

const run = {
  USER_MESSAGE: "fix it",
  ARGUMENTS: "fix it",
  WORKFLOW_ID: "run-1",
  ARTIFACTS_DIR: "/artifacts",
  STATE_DIR: "/artifacts",
  BASE_BRANCH: "main",
  DOCS_DIR: "docs/",
  REJECTION_REASON: "",
  SERIES_NOTES: "a note",
  SERIES_HISTORY: "run 1 failed",
};
const inputs = { INPUTS_WHO: "ann", INPUTS_MAX_SIZE: "5" };

describe("names in a text", () => {
  test("are values of the run, also as environment variables; the issue is for texts only", () => {
    expect(at().environment()).toEqual({ ...run, ...inputs });
    expect(valuesOf(at(), ...Object.keys(run))).toEqual(run);
    expect(at({ rejection: "too long" }).environment()).toMatchObject({ REJECTION_REASON: "too long" });
    const issue = valuesOf(at(), "ISSUE_CONTEXT", "CONTEXT", "EXTERNAL_CONTEXT");
    expect(new Set(Object.values(issue))).toEqual(
      new Set(["<issue>\n#7 Broken (by ann)\n\nIt broke.\n</issue>"]),
    );
  });

  test("are empty without a value", () => {
    const bare = at({ facts: {} as ExecutionContext["facts"] });
    expect(
      valuesOf(bare, "ISSUE_CONTEXT", "SERIES_NOTES", "SERIES_HISTORY", "none", "LOOP_ITERATION"),
    ).toEqual({
      ISSUE_CONTEXT: "",
      SERIES_NOTES: "",
      SERIES_HISTORY: "",
      none: "",
      LOOP_ITERATION: "",
    });
  });

  test("are values of the innermost loop", () => {
    const loop = {
      LOOP_ITERATION: "3",
      LOOP_PREV_OUTPUT: "before",
      LOOP_USER_INPUT: "be brief",
      LOOP_CHECK_OUTPUT: "exit 1",
      LOOP_OUTPUT: "",
    };
    const here = at({ frame: frame({ outer: frame({ number: 9 }), accumulated: { all: "one" } }) });
    expect(here.environment()).toEqual({ ...run, ...inputs, ...loop, all: "one" });
    expect(valuesOf(here, ...Object.keys(loop))).toEqual(loop);
    const ended = at({ frame: frame({ output: "now", item: { n: 1 } }) });
    expect(ended.environment()).toEqual({
      ...run,
      ...inputs,
      ...loop,
      LOOP_OUTPUT: "now",
      LOOP_ITEM: '{"n":1}',
    });
  });

  test("are what a loop gathered: this one, one around it, or one before", () => {
    const outer = frame({ accumulated: { all: "outer", most: "outer" } });
    const here = at({ frame: frame({ outer, accumulated: { all: "inner" } }) });
    expect(valuesOf(here, "all", "most", "history")).toEqual({
      all: "inner",
      most: "outer",
      history: "one\n---\ntwo",
    });
  });

  test("count a loop's items, and list its outputs", () => {
    const tally = { total: 4, succeeded: 2, failed: 1 };
    const names = [
      "LOOP_INPUT",
      "LOOP_INDEX",
      "LOOP_TOTAL",
      "LOOP_SUCCEEDED",
      "LOOP_FAILED",
      "LOOP_HISTORY",
    ] as const;
    expect(valuesOf(at({ frame: frame({ tally, outputs: ["a", "b"], output: "c" }) }), ...names)).toEqual({
      LOOP_INPUT: "before",
      LOOP_INDEX: "2",
      LOOP_TOTAL: "4",
      LOOP_SUCCEEDED: "2",
      LOOP_FAILED: "1",
      LOOP_HISTORY: "a---b---c",
    });
    const first = { LOOP_TOTAL: "", LOOP_SUCCEEDED: "", LOOP_FAILED: "", LOOP_HISTORY: "" };
    expect(valuesOf(at({ frame: frame({ previous: "", number: 1 }) }), ...names)).toEqual({
      ...first,
      LOOP_INPUT: "fix it",
      LOOP_INDEX: "0",
    });
    expect(valuesOf(at(), ...names)).toEqual({ ...first, LOOP_INPUT: "fix it", LOOP_INDEX: "" });
  });
});

test("an input is its value or its default; without either, the text says how to pass it", () => {
  const here = at();
  expect(here.text({ ref: "input", name: "who", otherwise: "nobody" })).toBe("ann");
  expect(here.text({ ref: "input", name: "other", otherwise: "nobody" })).toBe("nobody");
  expect(message(() => here.text({ ref: "input", name: "toString" }))).toBe(
    "input toString was not set: pass -i toString=… or give it a default under inputs",
  );
});

test.each([
  ["plain", undefined, "said plain"],
  ["none", undefined, ""],
  ["none", "n", ""],
  ["skipped", undefined, ""],
  ["cancelled", undefined, ""],
  ["json", "n", "1"],
  ["json", "none", "null"],
  ["typed", undefined, "said typed"],
  ["typed", "n", "2"],
  ["typed", "none", ""],
  ["typed", "other", ""],
  ["plain", "n", 'the output is not a JSON object, so it has no field "n"'],
  ["broken", undefined, "$broken.output cannot be read: broken failed (no key)"],
  ["broken", "n", "$broken.output cannot be read: broken failed (no key)"],
  ["skipped", "n", "$skipped.output.n cannot be read: skipped was skipped"],
  ["cancelled", "n", "$cancelled.output.n cannot be read: cancelled was cancelled"],
])("the output of %s, field %s: %s", (node, field, text) => {
  const reference = { ref: "output", node, ...(field === undefined ? {} : { field }) } as const;
  expect(message(() => at().text(reference))).toBe(text);
});

test("an undeclared field that is missing cannot be read; one that is null can", () => {
  const read = (node: string, field: string) =>
    message(() => at().text({ ref: "output", node, field, undeclared: true }));
  expect(read("typed", "n")).toBe("2");
  expect(read("typed", "none")).toBe("null");
  expect(read("typed", "other")).toBe('the output has no field "other"; it has n, none');
  expect(read("json", "n")).toBe("1");
});

test("a default stands for a node that never ran or was skipped, and for no other", () => {
  const read = (node: string) => message(() => at().text({ ref: "output", node, otherwise: "default" }));
  expect(["none", "skipped", "cancelled", "plain"].map(read)).toEqual([
    "default",
    "default",
    "",
    "said plain",
  ]);
  expect(read("broken")).toBe("$broken.output cannot be read: broken failed (no key)");
});

test("the previous iteration is that of the innermost loop that holds the node", () => {
  const outer = frame({
    previousOutcomes: new Map([
      ["a", done("outer a")],
      ["b", done("outer b")],
    ]),
  });
  const inner = frame({ outer, previousOutcomes: new Map([["a", done("inner a", { n: 1 })]]) });
  const read = (node: string, field?: string) =>
    at({ frame: inner }).text({ ref: "previous", node, ...(field === undefined ? {} : { field }) });
  expect([read("a"), read("a", "n"), read("b"), read("c")]).toEqual(["inner a", "1", "outer b", ""]);
  const broken = frame({ previousOutcomes: new Map(Object.entries(outcomes)) });
  expect(message(() => at({ frame: broken }).text({ ref: "previous", node: "broken" }))).toBe(
    "$LOOP_PREV.broken.output cannot be read: broken failed (no key)",
  );
});

test("an item is that of the innermost for-each, as text or as a value", () => {
  const each = frame({ number: 5, item: { n: 1, s: "text" } });
  const inLoop = at({ frame: frame({ outer: each }) });
  expect(inLoop.text({ ref: "item" })).toBe('{"n":1,"s":"text"}');
  expect(inLoop.value({ ref: "item" })).toEqual({ n: 1, s: "text" });
  expect(inLoop.text({ ref: "item", field: "s" })).toBe("text");
  expect(inLoop.value({ ref: "item", field: "n" })).toBe(1);
  const none = at({ frame: frame() });
  expect([none.text({ ref: "item" }), none.value({ ref: "item" })]).toEqual(["", ""]);
});

test("a value is the JSON in a text, or the text", () => {
  const here = at();
  expect(here.value({ ref: "output", node: "json" })).toEqual({ n: 1, none: null });
  expect(here.value({ ref: "output", node: "plain" })).toBe("said plain");
  expect(here.value({ ref: "input", name: "max-size" })).toBe(5);
});

test("nodes of a sequence read what earlier ones stored, or an input", () => {
  const shared = createSequenceState();
  shared.outputs.set("a", { status: "completed", output: '{"list": {"n": "two"}}' });
  shared.memory.set("notes", { n: [3] });
  shared.memory.set("who", "bob");
  const here = at({ shared });
  const outputs = (name: string, ...way: readonly string[]) =>
    ({ ref: "shared", of: "outputs", name, way: [...way] }) as const;
  const memory = (name: string, ...way: readonly string[]) =>
    ({ ref: "shared", of: "memory", name, way: [...way] }) as const;
  expect(here.text(outputs("a"))).toBe('{"list": {"n": "two"}}');
  expect(here.value(outputs("a", "list", "n"))).toBe("two");
  expect(here.text(memory("notes"))).toBe('{"n":[3]}');
  expect(here.value(memory("notes", "n"))).toEqual([3]);
  expect(here.value(memory("who"))).toBe("bob");
  expect(at().value(memory("who"))).toBe("ann");
  expect([here.value(outputs("none")), here.text(outputs("none")), here.value(memory("toString"))]).toEqual([
    null,
    "",
    null,
  ]);
});
