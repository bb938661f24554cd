import { expect, test } from "vitest";
import type { ExecutionContext } from "../../src/engine/execution-context.ts";
import { at, frame } from "./place.ts";

test("plain names describe the iteration, and the item around it", () => {
  expect(at().names).toEqual({});
  const loop = frame({ output: '{"n": 1}' });
  expect(at({ frame: loop }).names).toEqual({
    iteration: 3,
    previous: "before",
    output: '{"n": 1}',
    result: { n: 1 },
  });
  const each = frame({ number: 5, item: "it", previous: "", result: { n: 2 }, output: "text" });
  expect(at({ frame: each }).names).toEqual({
    iteration: 5,
    previous: "",
    output: "text",
    result: { n: 2 },
    item: "it",
    index: 4,
  });
  expect(at({ frame: frame({ outer: each }) }).names).toEqual({
    iteration: 3,
    previous: "before",
    output: "",
    result: "",
    item: "it",
    index: 4,
  });
});

test("a language binds names to numbers and items of the loop itself", () => {
  const each = at({ frame: frame({ number: 5, item: "it" }) });
  const loop = at({ frame: frame({ outer: frame({ item: "it" }) }) });
  const read = ({ bound }: ReturnType<typeof at>) => [
    bound?.({ of: "iteration", from: 0 }),
    bound?.({ of: "iteration", from: 1 }),
    bound?.({ of: "item" }),
    bound?.({ of: "index" }),
  ];
  expect(read(each)).toEqual([undefined, undefined, "it", 4]);
  expect(read(loop)).toEqual([2, 3, undefined, undefined]);
  expect(read(at())).toEqual([undefined, undefined, undefined, undefined]);
});

test("a language binds names to the nodes that have ended", () => {
  expect(at().bound?.({ of: "nodes", ids: ["none", "plain", "typed", "broken", "skipped"] })).toEqual({
    plain: { content: "said plain", result: {}, status: "completed" },
    typed: { content: "said typed", result: { n: 2, none: null }, status: "completed" },
    broken: { content: "half", result: {}, status: "failed" },
    skipped: { content: "", result: {}, status: "skipped" },
  });
});

test("a language binds names to this iteration, else the previous one, else the last node that completed", () => {
  const read = (more: Partial<ExecutionContext>, ...nodes: readonly string[]) =>
    (["content", "result", "status"] as const).map((of) => at(more).bound?.({ of, nodes: [...nodes] }));
  const last = { number: 2, parts: [], output: "last", result: { n: 1 }, judged: "" };
  expect(read({ frame: frame({ last, output: "now", result: [2] }) }, "plain")).toEqual([
    "now",
    [2],
    "completed",
  ]);
  expect(read({ frame: frame({ last, output: "now" }) })).toEqual(["now", {}, "completed"]);
  expect(read({ frame: frame({ last }) }, "plain")).toEqual(["last", { n: 1 }, "completed"]);
  expect(read({ frame: frame() }, "plain", "typed", "broken", "none")).toEqual([
    "said typed",
    { n: 2, none: null },
    "completed",
  ]);
  expect(read({}, "broken")).toEqual([undefined, undefined, undefined]);
});
