import type { Dialect } from "../dialect.ts";
import { readerOf } from "../reader.ts";
import { isMapping } from "../shape.ts";

/** Files of mcp-cli: `steps:` that prompt, and `loops:` that call other workflows until a condition in words is met. */
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
  return Array.isArray(document["loops"]) || isMapping(document["execution"]);
}
