import { expect, test } from "vitest";
import { agentNames } from "../../../src/agents/index.ts";
import { loops } from "../../../src/dialects/loops/index.ts";
import {
  documentFields,
  executionFields,
  loopFields,
  stepFields,
} from "../../../src/dialects/loops/schema.ts";
import { planSchema } from "../../../src/plan/plan.ts";
import { fc } from "../../parts/random.ts";
import { documentsOf } from "../documents.ts";

const words = [
  "a",
  "b",
  "{{a}}",
  "{{b}} {{ loop.output }} {{x}}",
  "${{ a == 'x' }}",
  "",
  " ",
  "toString",
  "10m",
];
const { scalar, loose, mapping } = documentsOf(words);

const loop = mapping(loopFields, { with: fc.dictionary(fc.string(), scalar) });
const step = mapping(stepFields, { loop, template: mapping({ name: 1, with: 1 }) });
const list = (element: fc.Arbitrary<unknown>) =>
  fc.oneof(loose, fc.array(fc.oneof(element, loose), { maxLength: 4 }));
const document = mapping(
  { ...documentFields, steps: 1, loops: 1, "steps (2)": 1 },
  { execution: mapping(executionFields), steps: list(step), loops: list(loop), "steps (2)": list(step) },
);

test("reading any document ends in errors or in a plan that a log can keep", {
  timeout: 60_000,
}, () => {
  fc.assert(
    fc.property(document, (value) => {
      loops.claims(value);
      const files = { agents: agentNames, command: () => undefined, workflow: () => undefined };
      const { plan, faults } = loops.read(value, files);
      const isSound = !faults.some((fault) => !fault.warning);
      expect(plan !== undefined).toBe(isSound);
      if (plan === undefined) return;
      const whole = { ...plan, workflows: {} };
      expect(planSchema.parse(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
    }),
    { numRuns: 2000 },
  );
});
