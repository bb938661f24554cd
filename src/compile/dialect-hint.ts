import type { Fault } from "../plan/diagnostic.ts";

const later: Readonly<Record<string, string>> = {
  blocks: "Files with `blocks:` are understood in a later version.",
};

/** Says what would make a document a workflow that some dialect claims. */
export function unclaimed(document: unknown): Fault {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    return { code: "BAD_VALUE", message: "A workflow file holds a mapping with `name` and `nodes`.", at: [] };
  }
  const key = Object.keys(document).find((it) => Object.hasOwn(later, it));
  return {
    code: "UNKNOWN_DIALECT",
    message: "No workflow language is recognised in this file.",
    at: key === undefined ? [] : [key],
    onKey: true,
    hint:
      (key === undefined ? undefined : later[key]) ?? "A workflow has `nodes:` at its top, a list of nodes.",
  };
}
