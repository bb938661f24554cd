import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { steps } from "../../../src/dialects/steps/index.ts";
import * as schema from "../../../src/dialects/steps/schema.ts";
import { planSchema } from "../../../src/plan/plan.ts";
import { fc } from "../../parts/random.ts";
import { documentsOf } from "../documents.ts";

const files = {
  agents: agentNames,
  command: () => undefined,
  workflow: () => undefined,
  text: (path: string) => `@${path}`,
};

const { scalar, loose, mapping } = documentsOf([
  "a",
  "b",
  "steps.a.content == 'x'",
  "item",
  "@a",
  "1 +",
  "",
  " ",
  "toString",
  "10m",
  "cumulative",
]);
const { step } = fc.letrec((tie) => ({
  step: mapping(schema.stepFields, {
    loop: fc.oneof({ depthSize: "small" }, scalar, tie("loop")),
    dependsOn: fc.array(fc.constantFrom("a", "b")),
  }),
  loop: mapping(schema.loopFields, { steps: fc.array(tie("step"), { maxLength: 3 }) }),
}));

const document = mapping(schema.documentFields, {
  steps: fc.array(fc.oneof(step, loose), { maxLength: 4 }),
  agents: fc.dictionary(fc.constantFrom("a", "b"), mapping(schema.agentFields)),
  options: mapping(schema.optionFields),
});

test("reading any document ends in errors or in a plan that a log can keep", {
  timeout: 60_000,
}, () => {
  fc.assert(
    fc.property(document, (written) => {
      const { faults, plan } = steps.read(written, files);
      expect(plan === undefined).toBe(faults.some((fault) => !fault.warning));
      if (plan) planSchema.parse(JSON.parse(JSON.stringify({ ...plan, workflows: {} })));
    }),
    { numRuns: 500 },
  );
});
