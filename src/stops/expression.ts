import { z } from "zod";
import { evaluate, isTrue } from "../expressions/cel.ts";
import { expression as expressionSpec } from "../expressions/template.ts";
import { pureStop, type Verdict } from "./stop.ts";

/** Stops when an expression is true. */
export const expression = pureStop({
  spec: z.strictObject({ kind: z.literal("expression"), expression: expressionSpec }),
  judge({ expression }, { scope }): Verdict {
    const result = isTrue(evaluate(expression, scope));
    if (!result.ok)
      return { verdict: "go-on", broken: true, because: `the expression failed: ${result.because}` };
    return result.value
      ? { verdict: "done", because: "the expression is true" }
      : { verdict: "go-on", because: "the expression is false" };
  },
});
