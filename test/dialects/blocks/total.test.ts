import { expect, test, vi } from "vitest";
import { compile } from "../../../src/compile/compile.ts";
import { blocks } from "../../../src/dialects/blocks/index.ts";
import { checkPython, defaultImports } from "../../../src/dialects/blocks/python.ts";
import * as schema from "../../../src/dialects/blocks/schema.ts";
import { planSchema } from "../../../src/plan/plan.ts";
import { fc } from "../../parts/random.ts";
import { randomBlocks } from "../../parts/random-blocks.ts";
import { documentsOf } from "../documents.ts";
import { blocksPlan, filesOf } from "./files.ts";

vi.setConfig({ testTimeout: 60_000 });

const ids = ["a", "b", "c"] as const;
const words = [
  ...ids,
  "writer",
  "results.a.b",
  "l_round",
  "equals",
  "regex",
  "(",
  "",
  " ",
  "toString",
  "1.0",
];
const { scalar, loose, mapping } = documentsOf([...words, "def main(data):\n  return 1"]);

const id = fc.constantFrom(...ids);
const list = (element: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.oneof(element, scalar), { maxLength: 3 }) },
    { weight: 1, arbitrary: loose },
  );
const condition = mapping(schema.conditionFields, {
  operator: fc.constantFrom("equals", "gt", "regex", "like"),
});
const tests = fc.oneof(condition, mapping(schema.groupFields, { conditions: list(condition) }));

const inner = {
  type: fc.constantFrom(...Object.keys(schema.blockFields), "retry"),
  soul_ref: fc.constantFrom("writer", "s", "nobody"),
  depends: fc.oneof(id, fc.array(id, { maxLength: 2 })),
  inputs: fc.dictionary(id, fc.oneof(scalar, fc.record({ from: scalar }))),
  inner_block_refs: fc.array(id, { maxLength: 3 }),
  break_condition: tests,
  carry_context: mapping(schema.carryFields, { source_blocks: fc.array(id, { maxLength: 2 }) }),
  exit_conditions: list(mapping(schema.exitConditionFields)),
  output_conditions: list(mapping(schema.outputConditionFields, { condition_group: tests })),
  routes: list(mapping(schema.routeFields, { when: tests, goto: id })),
  exits: list(mapping(schema.branchFields, { id, soul_ref: fc.constantFrom("writer", "s", "nobody") })),
  retry_config: mapping(schema.retryFields),
  eval_key: id,
};
const block = fc
  .tuple(fc.constantFrom(...Object.values(schema.blockFields)), inner.type)
  .chain(([fields, type]) => mapping(fields, inner).map((value) => ({ type, ...value })));

const document = mapping(schema.documentFields, {
  blocks: fc.oneof(fc.dictionary(fc.constantFrom(...ids, "results"), block), loose),
  workflow: mapping(schema.workflowFields, {
    entry: id,
    transitions: list(fc.record({ from: id, to: fc.oneof(id, fc.constant(null)) })),
    conditional_transitions: list(fc.dictionary(fc.constantFrom("from", "pass", "default"), id)),
  }),
  souls: fc.dictionary(fc.constantFrom("s", "t"), mapping(schema.soulFields)),
  limits: mapping(schema.limitFields),
  interface: fc.record({ inputs: list(mapping(schema.interfaceInputFields)) }),
});

test("reading any document ends in errors or in a plan that a log can keep", () => {
  fc.assert(
    fc.property(document, (written) => {
      const { faults, plan } = blocks.read(written, filesOf());
      expect(plan === undefined).toBe(faults.some((fault) => !fault.warning));
      if (plan === undefined) return;
      const whole = { ...plan, workflows: {} };
      expect(planSchema.parse(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
    }),
    { numRuns: 500, seed: 1 },
  );
});

test("random sound files compile to plans that a log can keep", () => {
  fc.assert(
    fc.property(randomBlocks, (text) => {
      const plan = blocksPlan(text);
      expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
    }),
  );
});

test("every error of a document has a position in its text", () => {
  fc.assert(
    fc.property(document, (written) => {
      const compiled = compile(
        { text: JSON.stringify({ blocks: {}, ...written }), file: "w.yaml" },
        filesOf(),
      );
      const diagnostics = compiled.ok ? compiled.warnings : compiled.diagnostics;
      for (const { line, column } of diagnostics) expect(line >= 1 && column >= 1).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test("checking any block of code ends", () => {
  const pieces = fc.constantFrom(
    ..."()[]{}'\"#\\:\n\t ,.=".split(""),
    "'''",
    "def main(data)",
    "import ",
    "if",
    "x",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }), (parts) => {
      const code = parts.join("");
      for (const { offset } of checkPython(code, defaultImports)) {
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(code.length);
      }
    }),
    { numRuns: 1000 },
  );
});
