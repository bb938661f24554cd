import type { z } from "zod";
import { durationMeta } from "../expressions/duration.ts";
import type { Fault } from "../plan/diagnostic.ts";
import { complaint, issuesOf } from "./value-complaint.ts";
import { didYouMean, invisibleHint, remedyFor } from "./value-remedy.ts";

type Fields = z.ZodRawShape;
/** Keys and positions from the root of a document. */
export type SourcePath = readonly (string | number)[];

/** The valid fields of a mapping. */
export type ParsedFields<F extends Fields> = { readonly [K in keyof F]?: z.output<F[K]> };

type Blank = Pick<Fault, "code" | "message" | "hint">;

export interface ShapeOptions<F extends Fields> {
  readonly fields: F;
  readonly at: SourcePath;
  /** Collects faults. */
  readonly faults: Fault[];
  /** Keys that are accepted with a warning. */
  readonly ignored?: ReadonlySet<string>;
  /** Also accepts unknown keys: a newer file may have them. */
  readonly lenient?: boolean;
  /** A hint for an unknown key, if there is a better one than a similar name. */
  readonly advice?: (key: string) => string | undefined;
  /** The fault of an empty value, if it differs from that of a wrong value. */
  readonly blank?: Readonly<Record<string, Blank>>;
}

const noMapping = (value: unknown, at: SourcePath): Fault => ({
  code: "BAD_VALUE",
  message: `${nameOf(at)} must be a mapping.`,
  at,
  hint: value === null ? "It is empty: write its keys, or remove it." : "Write `key: value` lines below it.",
});

/** Reads a mapping field by field, so that one bad field does not hide others. */
export function parseFields<F extends Fields>(value: unknown, options: ShapeOptions<F>): ParsedFields<F> {
  const { fields, at, faults } = options;
  if (!isMapping(value)) {
    faults.push(noMapping(value, at));
    return {};
  }
  const shaped: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const field = Object.hasOwn(fields, key) ? (fields[key] as z.ZodType) : undefined;
    if (field === undefined) {
      faults.push(strangeKey(key, options));
      continue;
    }
    const read = field.safeParse(value[key]);
    if (read.success) {
      shaped[key] = read.data;
      if (field.meta()?.["pattern"] === durationMeta.pattern)
        faults.push(...shortDuration(value[key], [...at, key]));
    } else if (value[key] === null && options.blank?.[key] !== undefined)
      faults.push({ ...options.blank[key], at: [...at, key] });
    else
      faults.push(
        ...read.error.issues.flatMap((issue) => faultsOf(issue, { at: [...at, key], value: value[key] })),
      );
  }
  return shaped as ParsedFields<F>;
}

/** Numbers are milliseconds; a value under a second probably means seconds or minutes. */
function shortDuration(value: unknown, at: SourcePath): readonly Fault[] {
  const ms = /^\s*\d+\s*$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!(ms < 1_000)) return [];
  const message = `\`${at.at(-1)}: ${ms}\` means ${ms} milliseconds.`;
  const hint = `Add the unit: \`${ms}s\`, \`${ms}m\`, or \`${ms}ms\` if milliseconds are right.`;
  return [{ code: "SHORT_DURATION", message, at, hint, warning: true }];
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function strangeKey<F extends Fields>(key: string, options: ShapeOptions<F>): Fault {
  const { fields, at, ignored, lenient, advice, faults } = options;
  const place = { at: [...at, key], onKey: true };
  // With many faults, similar names are not searched for.
  const near = faults.length < 50 ? didYouMean(key, Object.keys(fields)) : undefined;
  const isKnown = ignored?.has(key) ?? false;
  if (isKnown || lenient) {
    const hint = near === undefined || isKnown ? {} : { hint: near };
    const message = `\`${key}\` has no effect here.`;
    return { code: "IGNORED_FIELD", message, ...place, ...hint, warning: true };
  }
  const hint =
    advice?.(key) ?? invisibleHint(key) ?? calledOtherwise(key, fields) ?? near ?? keysHere(fields, faults);
  const fault: Fault = {
    code: "UNKNOWN_FIELD",
    message: `\`${key}\` is not a key of ${nameOf(at)}.`,
    ...place,
  };
  return hint === undefined ? fault : { ...fault, hint };
}

/** Lists all keys only for the first faults of a file, so that the list does not hide the others. */
const keysHere = (fields: Fields, faults: readonly Fault[]) =>
  faults.length < 10 ? `Keys here: ${Object.keys(fields).join(", ")}.` : undefined;

/** Keys in different languages that mean nearly the same. */
const synonyms: readonly (readonly string[])[] = [
  ["prompt", "instructions", "run", "task"],
  ["depends_on", "dependsOn", "needs", "depends"],
  ["when", "condition", "if"],
  ["id", "name"],
  ["nodes", "steps"],
  ["max_iterations", "maxIterations", "max_rounds"],
  ["until_expr", "until_expression", "until_cel"],
  ["until_bash", "until_command", "until_shell", "check_command"],
  ["for_each", "forEach", "items"],
  ["max_concurrency", "maxConcurrency", "max_workers"],
  ["until_agent", "untilAgent"],
  ["agent", "provider", "soul_ref"],
  ["workflow", "include", "workflow_ref", "template"],
  ["retry", "retries", "max_retries", "retry_config"],
];

function calledOtherwise(key: string, fields: Fields): string | undefined {
  const own = synonyms.find((keys) => keys.includes(key))?.find((name) => Object.hasOwn(fields, name));
  return own === undefined ? undefined : `Here it is \`${own}\`.`;
}

interface Wrong {
  readonly at: SourcePath;
  readonly value: unknown;
}

function faultsOf(issue: z.core.$ZodIssue, wrong: Wrong): readonly Fault[] {
  return issuesOf(issue).map((it) => faultOf(it, wrong));
}

function faultOf(issue: z.core.$ZodIssue, { at: base, value }: Wrong): Fault {
  const path = issue.path.filter((key) => typeof key !== "symbol");
  const at = [...base, ...path];
  const wrong = path.reduce<unknown>(
    (it, key) => (it as Readonly<Record<string | number, unknown>>)[key],
    value,
  );
  const hint = remedyFor(issue, { wrong, key: at.at(-1) });
  return { code: "BAD_VALUE", message: `${nameOf(at)} ${complaint(issue)}.`, at, ...(hint && { hint }) };
}

/** A path as people write it: `nodes[2].loop`. */
function nameOf(at: SourcePath): string {
  if (at.length === 0) return "the file";
  const text = at.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  return `\`${text.replace(/^\./, "")}\``;
}
