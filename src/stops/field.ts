import { z } from "zod";
import { asText, isObject, jsonOrText } from "../expressions/output-value.ts";
import { pureStop, type Verdict } from "./stop.ts";
import { forms } from "./stop-key.ts";

/** Stops when a field of the structured answer is `true` (the boolean, not the text). */
export const field = pureStop({
  spec: z.strictObject({ kind: z.literal("until-field"), field: z.string().min(1) }),
  words: { name: "field", until: "the answer's field says done", ended: "the answer's field says done" },
  key: {
    name: "until_field",
    cost: 1,
    meaning: "Done when this field of the structured answer is `true`; needs `output_format` on the node.",
    holds: forms.word,
    reads: (property) => ({ property, type: "boolean" }),
    spec: (field) => ({ kind: "until-field", field }),
  },
  judge({ field }, { result, output }): Verdict {
    const answer = result ?? jsonOrText(output);
    if (!isObject(answer)) return { verdict: "go-on", because: "the answer is not a JSON object" };
    if (!Object.hasOwn(answer, field))
      return { verdict: "go-on", because: `the answer has no field ${field}` };
    const value = answer[field] ?? null;
    return {
      verdict: value === true ? "done" : "go-on",
      because: `${field} is ${asText(value).slice(0, 100)}`,
    };
  },
});
