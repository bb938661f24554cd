import type { Fault } from "../plan/diagnostic.ts";

/** Says what would make a document a workflow that some dialect claims. */
export function unclaimed(document: unknown): Fault {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    return { code: "BAD_VALUE", message: "A workflow file holds a mapping with `name` and `nodes`.", at: [] };
  }
  return {
    code: "UNKNOWN_DIALECT",
    message: "No workflow language is recognised in this file.",
    at: [],
    onKey: true,
    hint: "A workflow has `nodes:`, `steps:`, `blocks:` or `loops:` at its top.",
  };
}
