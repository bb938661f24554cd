import { nearest } from "../expr/nearest.ts";
import type { Fault } from "../plan/diagnostic.ts";

const marks: readonly string[] = ["nodes", "steps", "blocks", "loops"];

/** Says what would make a document a workflow that some dialect claims. */
export function unclaimed(document: unknown): Fault {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    return { code: "BAD_VALUE", message: "A workflow file holds a mapping with `name` and `nodes`.", at: [] };
  }
  const [slip] = Object.keys(document)
    .slice(0, 100)
    .flatMap((key) => {
      const near = nearest(key, marks);
      return near === undefined ? [] : [{ key, near }];
    });
  return {
    code: "UNKNOWN_DIALECT",
    message: "No workflow language is recognised in this file.",
    at: slip === undefined ? [] : [slip.key],
    onKey: true,
    hint:
      slip === undefined
        ? "A workflow has `nodes:`, `steps:`, `blocks:` or `loops:` at its top."
        : `Did you mean \`${slip.near}\` instead of \`${slip.key}\`?`,
  };
}
