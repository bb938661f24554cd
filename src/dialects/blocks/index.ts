import type { Dialect } from "../dialect.ts";
import { readerOf } from "../lazy-reader.ts";
import { isMapping } from "../parse-fields.ts";

/** Runsight's workflow files: `blocks:` with transitions; some blocks are loops over others. */
export const blocks: Dialect = { name: "blocks", claims, read: readerOf(() => import("./read.ts")) };

function claims(document: unknown): boolean {
  return isMapping(document) && Object.hasOwn(document, "blocks");
}
