import { z } from "zod";
import { evaluate, isTrue } from "../expressions/cel.ts";
import { expression as expressionSpec } from "../expressions/template.ts";
import { pureStop, type Verdict } from "./stop.ts";
import { forms } from "./stop-key.ts";

/** Stops when an expression is true. */
export const expression = pureStop({
  spec: z.strictObject({ kind: z.literal("expression"), expression: expressionSpec }),
  words: { name: "expression", until: "the expression is true", ended: "the expression became true" },
  key: {
    name: "until_expr",
    cost: 3,
    meaning: "Done when this expression is true; see [Expressions](#expressions).",
    holds: forms.expression,
    spec: (expression) => ({ kind: "expression", expression }),
  },
  judge({ expression }, { scope }): Verdict {
    const result = isTrue(evaluate(expression, scope));
    if (!result.ok)
      return { verdict: "go-on", broken: true, because: `the expression failed: ${result.because}` };
    return result.value
      ? { verdict: "done", because: "the expression is true" }
      : { verdict: "go-on", because: "the expression is false" };
  },
});
