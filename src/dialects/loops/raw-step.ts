import { defined } from "../../ports/defined.ts";
import { isMapping, type ParsedFields, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { textRemedy } from "../value-remedy.ts";
import type { ReaderContext } from "./reader-context.ts";
import {
  consensusFields,
  ignoredInStep,
  loopFields,
  refusedInStep,
  stepFields,
  templateFields,
} from "./schema.ts";

export type StepFields = ParsedFields<typeof stepFields>;
export type LoopFields = ParsedFields<typeof loopFields>;

/** A step or loop as written, with its fields parsed. */
export interface RawStep {
  readonly id: string;
  readonly at: SourcePath;
  readonly needs: readonly string[];
  readonly step?: RawStepParts;
  /** What it repeats, if anything: itself, or the `loop` of a step. */
  readonly loop?: RawLoop;
}

interface RawStepParts {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: StepFields;
  readonly template?: ParsedFields<typeof templateFields>;
  readonly consensus?: ParsedFields<typeof consensusFields>;
}

export interface RawLoop {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: LoopFields;
  readonly at: SourcePath;
}

type Faults = Pick<ReaderContext, "faults">;

/** Reads the fields of a step. */
export function parseRawStep({ faults }: Faults, value: unknown, at: SourcePath): RawStep | undefined {
  const advice = (key: string) => (Object.hasOwn(refusedInStep, key) ? refusedInStep[key] : undefined);
  const fields = parseFields(value, { fields: stepFields, at, faults, ignored: ignoredInStep, advice });
  if (!isMapping(value)) return undefined;
  const template = Object.hasOwn(value, "template")
    ? parseFields(value["template"], { fields: templateFields, at: [...at, "template"], faults })
    : undefined;
  const consensus = Object.hasOwn(value, "consensus")
    ? parseFields(value["consensus"], { fields: consensusFields, at: [...at, "consensus"], faults })
    : undefined;
  const loop = Object.hasOwn(value, "loop")
    ? rawStepFields({ faults }, value["loop"], [...at, "loop"])
    : undefined;
  return {
    id: readName({ faults }, value["name"], { at, what: "step" }),
    at,
    needs: [...new Set([...(fields.needs ?? []), ...(loop?.fields.needs ?? [])])],
    step: {
      raw: value,
      fields,
      ...defined({ template, consensus }),
    },
    ...defined({ loop }),
  };
}

/** Reads the fields of a loop in the list `loops`. */
export function parseRawLoop(reader: Faults, value: unknown, at: SourcePath): RawStep | undefined {
  const loop = rawStepFields(reader, value, at);
  if (loop === undefined) return undefined;
  const id = readName(reader, loop.raw["name"], { at, what: "loop" });
  return { id, at, needs: loop.fields.needs ?? [], loop };
}

function rawStepFields({ faults }: Faults, value: unknown, at: SourcePath): RawLoop | undefined {
  const fields = parseFields(value, { fields: loopFields, at, faults });
  return isMapping(value) ? { raw: value, fields, at } : undefined;
}

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,98}[\p{L}\p{N}_.-]$|^[\p{L}\p{N}_]$/u;
const reserved = /^(?:input|loop|(?:loop|env|step)\..*)$/;

function readName(reader: Faults, name: unknown, { at, what }: { at: SourcePath; what: string }): string {
  if (typeof name === "string" && namePattern.test(name) && !reserved.test(name)) return name;
  const place = name === undefined ? at : [...at, "name"];
  const hint = "A name is up to 100 letters, digits, spaces, dots, _ and -.";
  if (name === undefined)
    reportFault(reader, "BAD_ID", { message: `A ${what} needs a \`name\`.`, at: place });
  else if (typeof name !== "string")
    reportFault(reader, "BAD_ID", {
      message: "A name must be text.",
      at: place,
      hint: textRemedy(name) ?? hint,
    });
  else if (reserved.test(name))
    reportFault(reader, "BAD_ID", { message: `\`{{${name}}}\` is reserved.`, at: place });
  else
    reportFault(reader, "BAD_ID", {
      message: `\`${name.slice(0, 110)}\` cannot be a name.`,
      at: place,
      hint,
    });
  return typeof name === "string" ? name : `#${at.join(".")}`;
}
