import fc from "fast-check";
import { expect, test } from "vitest";
import { steps } from "../../../src/dialects/steps/index.ts";
import * as schema from "../../../src/dialects/steps/schema.ts";
import { planSchema } from "../../../src/plan/schema.ts";

const files = { command: () => undefined, workflow: () => undefined, text: (path: string) => `@${path}` };

const scalar = fc.oneof(
  fc.constantFrom(
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
  ),
  fc.constantFrom(0, 1, 3, 1.5, -1, true, false, null),
);
const loose = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

const mapping = (fields: object, inner: Readonly<Record<string, fc.Arbitrary<unknown>>> = {}) =>
  fc
    .uniqueArray(fc.constantFrom(...Object.keys(fields), "toString"), { maxLength: 8 })
    .chain((keys) =>
      fc.record(
        Object.fromEntries(
          keys.map((key) => [key, (Object.hasOwn(inner, key) ? inner[key] : undefined) ?? loose]),
        ),
      ),
    );

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

test("whatever a document says, reading it ends in faults or in a plan that a log can keep", () => {
  fc.assert(
    fc.property(document, (written) => {
      const { faults, plan } = steps.read(written, files);
      expect(plan === undefined).toBe(faults.some((fault) => !fault.warning));
      if (plan) planSchema.parse(JSON.parse(JSON.stringify({ ...plan, workflows: {} })));
    }),
    { numRuns: 500 },
  );
});
