import { expect, test } from "vitest";
import { native } from "../../../src/dialects/native/index.ts";
import {
  agentFields,
  approvalFields,
  documentFields,
  inputFields,
  loopFields,
  nodeFields,
} from "../../../src/dialects/native/schema.ts";
import { planSchema } from "../../../src/plan/plan.ts";
import { fc } from "../../parts/random.ts";
import { documentsOf } from "../documents.ts";
import { noFiles } from "./files.ts";

const { scalar, loose, mapping } = documentsOf([
  "a",
  "b",
  "$a.output",
  "$LOOP_ITEM.x $b.output.y",
  "1 + ",
  "claude",
  "",
  " ",
  "toString",
  "10m",
]);
const { node } = fc.letrec((tie) => ({
  node: mapping(nodeFields, {
    loop: fc.oneof({ depthSize: "small" }, scalar, tie("loop")),
    loop_group: fc.oneof({ depthSize: "small" }, scalar, tie("loop")),
    approval: mapping(approvalFields),
    depends_on: fc.array(fc.constantFrom("a", "b", "c")),
  }),
  loop: mapping(loopFields, { nodes: fc.array(tie("node"), { maxLength: 3 }) }),
}));

const document = mapping(documentFields, {
  nodes: fc.array(fc.oneof(node, loose), { maxLength: 4 }),
  agents: fc.dictionary(fc.constantFrom("a", "reviewer"), mapping(agentFields)),
  inputs: fc.dictionary(fc.constantFrom("a", "b"), mapping(inputFields)),
});

test("reading any document ends in errors or in a plan that a log can keep", {
  timeout: 60_000,
}, () => {
  fc.assert(
    fc.property(document, (written) => {
      const { faults, plan } = native.read(written, noFiles);
      expect(plan === undefined).toBe(faults.some((fault) => !fault.warning));
      if (plan) planSchema.parse(JSON.parse(JSON.stringify({ ...plan, workflows: {} })));
    }),
    { numRuns: 500 },
  );
});
