import type { Dialect } from "../dialect.ts";
import { readerOf } from "../lazy-reader.ts";
import { isMapping } from "../parse-fields.ts";

/**
 * Files of mcp-cli: `steps:` with prompts, and `loops:` that call other workflows until a condition in natural
 * language is met.
 */
export const loops: Dialect = {
  name: "loops",
  repeatable: new Set(["steps", "loops"]),
  claims,
  read: readerOf(() => import("./read.ts")),
};

const ofOthers: readonly string[] = ["nodes", "blocks", "workflow"];

function claims(document: unknown): boolean {
  if (!isMapping(document)) return false;
  const named = document["$schema"];
  if (typeof named === "string" && named.startsWith("workflow/")) return true;
  if (ofOthers.some((key) => Object.hasOwn(document, key))) return false;
  return (
    Array.isArray(document["loops"]) || isMapping(document["execution"]) || hasOwnSteps(document["steps"])
  );
}

/** Steps of zenflow have `id` and `instructions`; those of mcp-cli have `name` and a key for their kind. */
const hasOwnSteps = (steps: unknown): boolean =>
  Array.isArray(steps) &&
  steps.some(
    (step) =>
      isMapping(step) &&
      Object.hasOwn(step, "name") &&
      !Object.hasOwn(step, "id") &&
      ["run", "template", "consensus"].some((kind) => Object.hasOwn(step, kind)),
  );
