import type { Fault } from "../plan/diagnostic.ts";
import type { SourcePath } from "./parse-fields.ts";
import { reportFault } from "./report-fault.ts";
import { quotingHint } from "./value-remedy.ts";

interface Reader {
  readonly faults: Fault[];
}

interface LoopSource {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly at: SourcePath;
}

interface LimitKey {
  readonly key: string;
  /** The maximum; `undefined` for none. */
  readonly most?: number;
  /** A hint for a value that is not a number written as text. */
  readonly example?: string;
}

/** Reads the required iteration limit of a loop; `missing` is the hint for a loop without one. */
export function readIterationLimit(
  reader: Reader,
  loop: LoopSource,
  { missing, ...limit }: LimitKey & { readonly missing: string },
): number | undefined {
  const { key } = limit;
  if (loop.raw[key] !== undefined && loop.raw[key] !== null) return readLimit(reader, loop, limit);
  const message = `A loop needs \`${key}\`.`;
  return reportFault(reader, "LOOP_MAX_MISSING", { message, at: loop.at, onKey: true, hint: missing });
}

/** Reads an existing limit: a whole number from 1. */
export function readLimit(
  reader: Reader,
  { raw, at }: LoopSource,
  { key, most, example }: LimitKey,
): number | undefined {
  const max = raw[key];
  if (typeof max === "number" && Number.isSafeInteger(max) && max >= 1 && max <= (most ?? max)) return max;
  const range = most === undefined ? "of at least 1" : `from 1 to ${most}`;
  const message = `\`${key}\` must be a whole number ${range}.`;
  const hint = quotingHint(max) ?? example;
  return reportFault(reader, "LOOP_MAX_RANGE", { message, at: [...at, key], hint });
}
