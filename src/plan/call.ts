import { z } from "zod";
import { reference, text } from "../expressions/template.ts";
import type { Infer } from "../ports/infer.ts";

/** A call of another workflow, in a scope of its own. */
export const call = z.strictObject({
  kind: z.literal("call"),
  /** A key of the plan's `workflows`. */
  workflow: z.string(),
  with: z.record(z.string(), text),
  /** The child's user message; defaults to the caller's. */
  message: text.exactOptional(),
  /** Context for the child's first nodes. */
  context: text.exactOptional(),
  /** The keys of `with` that, with the item, form the message instead, as a JSON object. */
  object: z.array(z.string()).exactOptional(),
  /** Values of the child to store in the caller's memory, by the names used there. */
  takes: z.record(z.string(), reference).exactOptional(),
});

export type Call = Infer<typeof call>;
