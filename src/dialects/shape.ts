import type { z } from "zod";
import { nearest } from "../expr/nearest.ts";
import type { Fault } from "../plan/diagnostic.ts";

type Fields = z.ZodRawShape;
/** Keys and positions from the root of a document. */
export type At = readonly (string | number)[];

/** What a mapping holds, as far as each of its fields is right. */
export type Shaped<F extends Fields> = { readonly [K in keyof F]?: z.output<F[K]> };

type Blank = Pick<Fault, "code" | "message">;

export interface ShapeOptions<F extends Fields> {
  readonly fields: F;
  readonly at: At;
  /** Where faults go. */
  readonly faults: Fault[];
  /** Keys that are let pass with a warning. */
  readonly ignored?: ReadonlySet<string>;
  /** What to do about a key that is not known, where more than a near name can be said. */
  readonly advice?: (key: string) => string | undefined;
  /** What is said of a key under which nothing stands, where that is a fault of its own. */
  readonly blank?: Readonly<Record<string, Blank>>;
}

/** What is said of a workflow whose name was left blank. */
export const namelessWorkflow = {
  name: { code: "MISSING_NAME", message: "A workflow needs a `name`." },
} as const;

/** Reads a mapping field by field, so that one bad field hides no other. */
export function shape<F extends Fields>(value: unknown, options: ShapeOptions<F>): Shaped<F> {
  const { fields, at, faults } = options;
  if (!isMapping(value)) {
    faults.push({ code: "BAD_VALUE", message: `${nameOf(at)} must be a mapping.`, at });
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
    if (read.success) shaped[key] = read.data;
    else
      faults.push(
        ...faultsOf(read.error, [...at, key], value[key] === null ? options.blank?.[key] : undefined),
      );
  }
  return shaped as Shaped<F>;
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function strangeKey<F extends Fields>(key: string, options: ShapeOptions<F>): Fault {
  const { fields, at, ignored, advice, faults } = options;
  const place = { at: [...at, key], onKey: true };
  if (ignored?.has(key)) {
    return { code: "IGNORED_FIELD", message: `\`${key}\` has no effect here.`, ...place, warning: true };
  }
  // A long list of faults is not worth a search for near names each.
  const near = faults.length < 50 ? didYouMean(key, Object.keys(fields)) : undefined;
  const hint = advice?.(key) ?? near;
  const fault: Fault = {
    code: "UNKNOWN_FIELD",
    message: `\`${key}\` is not a key of ${nameOf(at)}.`,
    ...place,
  };
  return hint === undefined ? fault : { ...fault, hint };
}

/** "Did you mean …?", or nothing where no name is near. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const near = nearest(word, candidates);
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}

function faultsOf(error: z.ZodError, at: At, blank: Blank | undefined): readonly Fault[] {
  return blank === undefined ? error.issues.map((issue) => faultOf(issue, at)) : [{ ...blank, at }];
}

function faultOf(issue: z.core.$ZodIssue, base: At): Fault {
  const at = [...base, ...issue.path.filter((key) => typeof key !== "symbol")];
  return { code: "BAD_VALUE", message: `${nameOf(at)} ${complaint(issue)}.`, at };
}

const words: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function complaint(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${words[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.map(String).join(" or ")}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "custom":
      return issue.message;
    default:
      return "has a value that is not allowed";
  }
}

/** A path as people write it: `nodes[2].loop`. */
function nameOf(at: At): string {
  if (at.length === 0) return "the file";
  const text = at.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  return `\`${text.replace(/^\./, "")}\``;
}
