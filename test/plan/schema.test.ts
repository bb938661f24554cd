import { expect, test } from "vitest";
import { planSchema } from "../../src/plan/plan.ts";

const plan = {
  name: "w",
  dialect: "native",
  inputs: {},
  agents: {},
  budget: {},
  body: {
    kind: "graph",
    atMost: 8,
    nodes: [{ id: "a", after: [], trigger: "all_success", kind: "cancel", reason: [] }],
  },
  workflows: {},
};

test("a plan comes back from a log as it went in, called workflows too", () => {
  const whole = { ...plan, workflows: { child: plan } };
  expect(planSchema.parse(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
});

test.each([
  ["a key too many", { ...plan, extra: 1 }],
  ["a node of no known kind", { ...plan, body: { ...plan.body, nodes: [{ id: "a", kind: "dance" }] } }],
  ["a called workflow that is none", { ...plan, workflows: { child: {} } }],
])("%s is refused", (_, damaged) => expect(planSchema.safeParse(damaged).success).toBe(false));
