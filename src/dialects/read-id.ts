import type { Fault } from "../plan/diagnostic.ts";
import type { SourcePath } from "./parse-fields.ts";
import { reportFault } from "./report-fault.ts";
import { invisibleHint, textRemedy } from "./value-remedy.ts";

interface IdSource {
  readonly value: unknown;
  /** The position of the mapping that has it. */
  readonly at: SourcePath;
  readonly key: "id" | "name";
  /** What needs it: `A node`. */
  readonly owner: string;
  readonly pattern: RegExp;
  /** How a reserved id is written in texts; `undefined` for any other. */
  readonly reserved?: (id: string) => string | undefined;
  /** Which ids the pattern allows. */
  readonly hint: string;
}

/** Reads an id; a bad one is reported, and kept if it is text, so that references to it are found. */
export function readId(reader: { readonly faults: Fault[] }, source: IdSource): string {
  const { value, at, key, owner, pattern, reserved, hint } = source;
  const place = value === undefined ? at : [...at, key];
  const a = key === "id" ? "an" : "a";
  if (value === undefined)
    reportFault(reader, "BAD_ID", { message: `${owner} needs ${a} \`${key}\`.`, at: place });
  else if (typeof value !== "string") {
    const message = `${a === "an" ? "An" : "A"} ${key} must be text.`;
    reportFault(reader, "BAD_ID", { message, at: place, hint: textRemedy(value) ?? hint });
  } else if (reserved?.(value) !== undefined)
    reportFault(reader, "BAD_ID", { message: `\`${reserved(value)}\` is reserved.`, at: place });
  else if (!pattern.test(value)) {
    const message = `\`${value.slice(0, 110)}\` cannot be ${a} ${key}.`;
    reportFault(reader, "BAD_ID", { message, at: place, hint: invisibleHint(value) ?? hint });
  }
  return typeof value === "string" ? value : `#${at.join(".")}`;
}
