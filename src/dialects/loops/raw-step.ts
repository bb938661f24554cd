import { defined } from "../../ports/defined.ts";
import { isMapping, type ParsedFields, parseFields, type SourcePath } from "../parse-fields.ts";
import { readId } from "../read-id.ts";
import type { ReaderContext } from "./reader-context.ts";
import {
  consensusFields,
  ignoredInConsensus,
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
    ? parseFields(value["consensus"], {
        fields: consensusFields,
        at: [...at, "consensus"],
        faults,
        ignored: ignoredInConsensus,
      })
    : undefined;
  const loop = Object.hasOwn(value, "loop")
    ? rawStepFields({ faults }, value["loop"], [...at, "loop"])
    : undefined;
  return {
    id: readName({ faults }, value["name"], { at, owner: "A step" }),
    at,
    needs: [...new Set([...(fields.needs ?? []), ...(loop?.fields.needs ?? [])])],
    step: { raw: value, fields, ...defined({ template, consensus }) },
    ...defined({ loop }),
  };
}

/** Reads the fields of a loop in the list `loops`. */
export function parseRawLoop(reader: Faults, value: unknown, at: SourcePath): RawStep | undefined {
  const loop = rawStepFields(reader, value, at);
  if (loop === undefined) return undefined;
  const id = readName(reader, loop.raw["name"], { at, owner: "A loop" });
  return { id, at, needs: loop.fields.needs ?? [], loop };
}

function rawStepFields({ faults }: Faults, value: unknown, at: SourcePath): RawLoop | undefined {
  const fields = parseFields(value, { fields: loopFields, at, faults });
  return isMapping(value) ? { raw: value, fields, at } : undefined;
}

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,98}[\p{L}\p{N}_.-]$|^[\p{L}\p{N}_]$/u;
const reserved = /^(?:input|loop|(?:loop|env|step)\..*)$/;

const readName = (reader: Faults, value: unknown, { at, owner }: { at: SourcePath; owner: string }): string =>
  readId(reader, {
    value,
    at,
    key: "name",
    owner,
    pattern: namePattern,
    reserved: (name) => (reserved.test(name) ? `{{${name}}}` : undefined),
    hint: "A name is up to 100 letters, digits, spaces, dots, _ and -.",
  });
