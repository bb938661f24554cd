import type { Json } from "../../ports/json.ts";
import { EffectFailedError } from "../operation.ts";

/** Parses lines as values if each of them is JSON. No lines at all are an error. */
export function itemValues(id: string, lines: readonly string[]): readonly Json[] {
  if (lines.length === 0) throw new EffectFailedError("node-failed", `the items of ${id} are empty`);
  try {
    return lines.map((line) => JSON.parse(line) as Json);
  } catch {
    return lines;
  }
}
