import type { Reference } from "../../expr/text.ts";
import type { Fault } from "../../plan/diagnostic.ts";
import type { NamedAgent, Node } from "../../plan/plan.ts";
import type { Files } from "../dialect.ts";
import { note } from "../note.ts";
import type { At, Shaped } from "../shape.ts";
import type { anyBlockFields, BlockType } from "./schema.ts";

/** What is known and found while one file is read. */
export interface Sheet {
  readonly faults: Fault[];
  readonly calls: { readonly workflow: string; readonly at: At; readonly gives: readonly string[] }[];
  readonly files: Files;
  readonly blocks: ReadonlyMap<string, Draft>;
  /** The ids of all blocks, also of those that could not be read. */
  readonly ids: ReadonlySet<string>;
  /** The souls of the file, and those found in files of their own. */
  readonly souls: Map<string, NamedAgent>;
  /** Souls of the file itself, sound or not. */
  readonly written: ReadonlySet<string>;
  /** Names of the memory that something in this file puts there, or a caller gives. */
  readonly remembered: ReadonlySet<string>;
}

/** A block as far as it can be read by itself. */
export interface Draft {
  readonly id: string;
  readonly at: At;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly type: BlockType;
  readonly fields: Shaped<typeof anyBlockFields>;
}

/** What the loops around a block hand on to it. */
export interface Around {
  readonly given: Readonly<Record<string, Reference>>;
  /** Names under which they carry context. */
  readonly carried: readonly string[];
}

/** Makes the node of a block, for each place at which it runs. */
export type Make = (around: Around) => Node;

/** Warns of keys that are understood and change nothing. */
export function warnOfUseless(
  sheet: Pick<Sheet, "faults">,
  { keys, given, at }: { readonly keys: readonly string[]; readonly given: object; readonly at: At },
): void {
  for (const key of keys.filter((it) => Object.hasOwn(given, it))) {
    const place = { at: [...at, key], onKey: true, warning: true };
    note(sheet, "IGNORED_FIELD", { message: `\`${key}\` has no effect here.`, ...place });
  }
}
