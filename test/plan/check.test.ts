import { expect, test } from "vitest";
import { checkGraph } from "../../src/plan/check.ts";
import { reachOf } from "../../src/plan/reachability.ts";

const linked = (nodes: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(nodes).map(([id, after], index) => ({ id, after, at: ["steps", index] }));

const problemsOf = (nodes: Readonly<Record<string, readonly string[]>>) =>
  checkGraph(linked(nodes), { afterKey: "needs" }).map(({ code, at }) => `${code} ${at.join(".")}`);

test("a sound graph has no errors", () => {
  expect(problemsOf({ a: [], b: ["a"], c: ["a", "b"] })).toEqual([]);
});

test("each group of nodes that wait for each other is reported once, at its first node in the file", () => {
  expect(problemsOf({ a: ["b"], b: ["a"], c: ["c"], d: ["a", "c"] })).toEqual([
    "CYCLE steps.0.needs",
    "CYCLE steps.2.needs",
  ]);
});

test("a cycle is reported by name, in the order of waiting", () => {
  const [fault] = checkGraph(linked({ a: ["c"], b: ["a"], c: ["b"] }), { afterKey: "needs" });
  expect(fault?.message).toContain("a → c → b → a");
});

test("an unknown dependency is reported with a similar name", () => {
  const [fault] = checkGraph(linked({ setup: [], work: ["setpu"] }), { afterKey: "needs" });
  expect(fault).toMatchObject({ code: "UNKNOWN_DEPENDENCY", at: ["steps", 1, "needs", 0] });
  expect(fault?.hint).toContain("setup");
});

test("an id of the graph around is taken, and no dependency", () => {
  const faults = checkGraph(linked({ a: [], b: ["a", "out"] }), {
    afterKey: "needs",
    outer: (id) => id !== "b",
  });
  expect(faults.map(({ code }) => code)).toEqual(["DUPLICATE_ID", "UNKNOWN_DEPENDENCY"]);
});

test("a chain of fifty thousand is walked without a deep stack", () => {
  const chain = Array.from({ length: 50_000 }, (_, index) => ({
    id: `n${index}`,
    after: [`n${index + 1}`],
    at: [index],
  }));
  const closed = chain.map((node, index) => (index === 49_999 ? { ...node, after: ["n0"] } : node));
  expect(checkGraph(closed, { afterKey: "needs" }).map(({ code }) => code)).toEqual(["CYCLE"]);
});

test("upstream is whatever is done before, over any number of steps", () => {
  const reach = reachOf(linked({ d: ["c"], a: [], b: ["a"], c: ["b", "gone"], e: [] }));
  expect([reach("d", "c"), reach("d", "a"), reach("b", "a"), reach("d", "e"), reach("a", "d")]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test("behind a cycle everything counts as upstream, so that one error causes no others", () => {
  const reach = reachOf(linked({ a: ["b"], b: ["a"], c: ["b"], d: [] }));
  expect([reach("c", "d"), reach("d", "a")]).toEqual([true, false]);
});

test("a node without a usable id is neither named nor proposed", () => {
  const [fault] = checkGraph(linked({ "#nodes.0": ["zzz"], "": [], b: [] }), { afterKey: "needs" });
  expect(fault?.message).toBe("This node depends on `zzz`, which is not a node of this graph.");
  expect(fault?.hint).toBe("The other nodes here: b.");
});
