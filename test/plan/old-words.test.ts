import { expect, test } from "vitest";
import { inTodaysWords } from "../../src/plan/old-words.ts";
import { planSchema } from "../../src/plan/schema.ts";
import { planOf } from "../parts/stage.ts";

const source = `
name: w
steps:
  - { id: a, condition: "1 == 1" }
  - { id: each, dependsOn: [a], loop: { forEach: [1], maxConcurrency: 500 } }
  - id: cycle
    dependsOn: [each]
    loop: { maxIterations: 2, outputMode: cumulative, steps: [{ id: b }, { id: c, dependsOn: [b] }] }
`;

/** The same plan as the first version wrote it. */
function asOnceWritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asOnceWritten);
  if (typeof value !== "object" || value === null) return value;
  const { capped, ...fields } = Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, asOnceWritten(field)]),
  );
  return {
    ...fields,
    ...(fields["kind"] === "graph" ? { skipped: "runs" } : {}),
    ...(fields["trigger"] === "none_failed" ? { trigger: "all_success" } : {}),
    ...(fields["output"] === "transcript" ? { output: "history" } : {}),
    ...(fields["kind"] === "for-each" ? { atMost: 500, cap: 100 } : {}),
  };
}

test("a plan in the words of an earlier version is read as today's, called workflows too", () => {
  const plan = planOf(source);
  const whole = { ...plan, workflows: { child: plan } };
  const old = asOnceWritten(JSON.parse(JSON.stringify(whole)));
  expect(JSON.stringify(old)).toMatch(/"skipped":"runs"[\s\S]*"cap":100/);
  expect(planSchema.parse(old)).toEqual(whole);
});

test("a cap that never held anybody back is gone", () => {
  const node = { kind: "for-each", atMost: 3, cap: 100 };
  const plan = { body: { kind: "graph", nodes: [node] } };
  expect(inTodaysWords(plan)).toEqual({
    body: { kind: "graph", nodes: [{ kind: "for-each", atMost: 3 }] },
  });
});

test.each([
  null,
  3,
  [],
  { body: 3 },
  { body: { nodes: [null, 3, { body: null }] }, workflows: [] },
  { body: { nodes: [], skipped: "x" } },
])("what is no plan is left for the schema to refuse: %j", (value) => {
  expect(inTodaysWords(value)).toEqual(value);
  expect(planSchema.safeParse(value).success).toBe(false);
});
