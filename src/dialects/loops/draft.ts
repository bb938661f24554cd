import { note } from "../note.ts";
import { type At, isMapping, type Shaped, shape } from "../shape.ts";
import { ignoredInStep, loopFields, refusedInStep, stepFields, templateFields } from "./schema.ts";
import type { Sheet } from "./sheet.ts";

export type StepFields = Shaped<typeof stepFields>;
export type LoopFields = Shaped<typeof loopFields>;

/** A step or loop as it is written, with its own fields read. */
export interface Draft {
  readonly id: string;
  readonly at: At;
  readonly needs: readonly string[];
  readonly step?: StepDraft;
  /** What it repeats, where it does: a loop by itself, or the `loop` of a step. */
  readonly loop?: LoopDraft;
}

interface StepDraft {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: StepFields;
  readonly template?: Shaped<typeof templateFields>;
}

export interface LoopDraft {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: LoopFields;
  readonly at: At;
}

type Faults = Pick<Sheet, "faults">;

/** Reads the fields of a step. */
export function draftStep({ faults }: Faults, value: unknown, at: At): Draft | undefined {
  const advice = (key: string) => (Object.hasOwn(refusedInStep, key) ? refusedInStep[key] : undefined);
  const fields = shape(value, { fields: stepFields, at, faults, ignored: ignoredInStep, advice });
  if (!isMapping(value)) return undefined;
  const template = Object.hasOwn(value, "template")
    ? shape(value["template"], { fields: templateFields, at: [...at, "template"], faults })
    : undefined;
  const loop = Object.hasOwn(value, "loop")
    ? draftFields({ faults }, value["loop"], [...at, "loop"])
    : undefined;
  return {
    id: readName({ faults }, value["name"], { at, what: "step" }),
    at,
    needs: fields.needs ?? [],
    step: { raw: value, fields, ...(template === undefined ? {} : { template }) },
    ...(loop === undefined ? {} : { loop }),
  };
}

/** Reads the fields of a loop that stands by itself. */
export function draftLoop(sheet: Faults, value: unknown, at: At): Draft | undefined {
  const loop = draftFields(sheet, value, at);
  if (loop === undefined) return undefined;
  const id = readName(sheet, loop.raw["name"], { at, what: "loop" });
  return { id, at, needs: loop.fields.needs ?? [], loop };
}

function draftFields({ faults }: Faults, value: unknown, at: At): LoopDraft | undefined {
  const fields = shape(value, { fields: loopFields, at, faults });
  return isMapping(value) ? { raw: value, fields, at } : undefined;
}

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,98}[\p{L}\p{N}_.-]$|^[\p{L}\p{N}_]$/u;
const reserved = /^(?:input|loop|(?:loop|env|step)\..*)$/;

function readName(sheet: Faults, name: unknown, { at, what }: { at: At; what: string }): string {
  if (typeof name === "string" && namePattern.test(name) && !reserved.test(name)) return name;
  const place = name === undefined ? at : [...at, "name"];
  const hint = "A name is up to 100 letters, digits, blanks, dots, _ and -.";
  if (name === undefined) note(sheet, "BAD_ID", { message: `A ${what} needs a \`name\`.`, at: place });
  else if (typeof name !== "string")
    note(sheet, "BAD_ID", { message: "A name must be text.", at: place, hint });
  else if (reserved.test(name))
    note(sheet, "BAD_ID", { message: `\`{{${name}}}\` means something else.`, at: place });
  else note(sheet, "BAD_ID", { message: `\`${name.slice(0, 110)}\` cannot be a name.`, at: place, hint });
  return typeof name === "string" ? name : `#${at.join(".")}`;
}
