import type { Json } from "../../ports/json.ts";
import { Unmet } from "../flow.ts";

/** Lines as values, where every one of them is JSON; no lines at all are a fault. */
export function valuesOf(id: string, lines: readonly string[]): readonly Json[] {
  if (lines.length === 0) throw new Unmet("node-failed", `the items of ${id} are empty`);
  try {
    return lines.map((line) => JSON.parse(line) as Json);
  } catch {
    return lines;
  }
}
