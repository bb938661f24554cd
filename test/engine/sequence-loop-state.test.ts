import { expect, test } from "vitest";
import type { ExecutionContext } from "../../src/engine/execution-context.ts";
import { openLoopMemory, updateCarriedContext } from "../../src/engine/nodes/sequence-loop-state.ts";
import type { LoopNode } from "../../src/plan/plan.ts";
import type { Json } from "../../src/ports/json.ts";

function contextWith(memory: ReadonlyMap<string, Json>, outputs: Readonly<Record<string, string>> = {}) {
  const shared = {
    memory: new Map(memory),
    outputs: new Map(Object.entries(outputs).map(([id, output]) => [id, { output }])),
  };
  return { shared, context: { shared, frame: {} } as unknown as ExecutionContext };
}

test("an inner loop gives an outer loop's names back, and leaves none of its own", () => {
  const { shared, context } = contextWith(new Map<string, Json>([["round", 4]]));
  const node = { counts: "round", carry: { as: "earlier" } } as unknown as LoopNode;
  const close = openLoopMemory(node, context);
  shared.memory.set("round", 9).set("earlier", "x");
  const outcome = { status: "completed", output: "" } as const;
  expect(close(outcome, 9)).toBe(outcome);
  expect([...shared.memory]).toEqual([["round", 4]]);
});

test("the newest outputs are carried as far as they fit, and at least the last", () => {
  const memory = new Map<string, Json>();
  const long = "2".repeat(30);
  const most = JSON.stringify({ a: long }).length + JSON.stringify({ a: "3" }).length;
  const carry = { as: "earlier", what: "all", nodes: ["a"], most };
  const node = { carry } as unknown as LoopNode;
  for (const output of ["1", long, "3"]) {
    const { shared, context } = contextWith(memory, { a: output });
    updateCarriedContext(node, context);
    memory.set("earlier", shared.memory.get("earlier") ?? null);
  }
  expect(memory.get("earlier")).toEqual([{ a: long }, { a: "3" }]);
  const { shared, context } = contextWith(memory, { a: "x".repeat(100) });
  updateCarriedContext(node, context);
  expect(shared.memory.get("earlier")).toEqual([{ a: "x".repeat(100) }]);
});
