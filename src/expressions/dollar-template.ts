import type { Reference, Text } from "./template.ts";

/** Archon's names for the issue of a run; available in prompts only. */
export const issueNames: readonly string[] = ["ISSUE_CONTEXT", "EXTERNAL_CONTEXT", "CONTEXT"];

/** Names that a native text can use besides references to inputs, items and nodes; callers add accumulated names. */
export const valueNames: readonly string[] = [
  "ARGUMENTS",
  "USER_MESSAGE",
  "ARTIFACTS_DIR",
  "STATE_DIR",
  "BASE_BRANCH",
  "DOCS_DIR",
  "WORKFLOW_ID",
  "LOOP_USER_INPUT",
  "LOOP_PREV_OUTPUT",
  "LOOP_ITERATION",
  "LOOP_CHECK_OUTPUT",
  "LOOP_OUTPUT",
  "REJECTION_REASON",
  "SERIES_NOTES",
  "SERIES_HISTORY",
  ...issueNames,
];

/** A reference and the offset of its `$` in the source, for diagnostics. */
export interface TemplatePosition {
  readonly reference: Reference;
  readonly offset: number;
}

export interface DollarOptions {
  /** Names with a meaning here, without the `$`; defaults to `valueNames`. */
  readonly known?: ReadonlySet<string>;
  /** True if `$id.field` is short for `$id.output.field`, as in conditions. */
  readonly short?: boolean;
}

export interface ParsedText {
  readonly text: Text;
  readonly places: readonly TemplatePosition[];
  /** Names that look like variables but are unknown here, without repetitions; they stay in the text as written. */
  readonly unknown: readonly string[];
}

const nativeNames: ReadonlySet<string> = new Set(valueNames);

/** Parses a native text: its `$references` become data, everything else stays as written. */
export function parseText(source: string, options: DollarOptions = {}): ParsedText {
  const text: (string | Reference)[] = [];
  const places: TemplatePosition[] = [];
  const unknown = new Set<string>();
  let copied = 0;
  let at = source.indexOf("$");
  while (at >= 0) {
    const dollar = matchDollar(source, at, options);
    if (dollar.reference !== undefined) {
      if (at > copied) text.push(source.slice(copied, at));
      text.push(dollar.reference);
      places.push({ reference: dollar.reference, offset: at });
      copied = dollar.end;
    } else if (dollar.unknown !== undefined) unknown.add(dollar.unknown);
    at = source.indexOf("$", dollar.end);
  }
  if (copied < source.length) text.push(source.slice(copied));
  return { text, places, unknown: [...unknown] };
}

/** What a `$` starts: a reference, an unknown name, or plain text; parsing continues at `end`. */
export interface Dollar {
  readonly reference?: Reference;
  readonly unknown?: string;
  readonly end: number;
}

// Hyphens belong to an input's name only before a letter, so `$INPUTS.count-1` is a subtraction.
const inputPattern = /\$INPUTS\.([A-Za-z_]\w*(?:-[A-Za-z_]\w*)*)/y;
const previousPattern = /\$LOOP_PREV\.([A-Za-z_][\w-]*)\.output(?!\w)(?:\.(\w+))?/y;
const itemPattern = /\$LOOP_ITEM(?!\w)(?:\.(\w+))?/y;
const outputPattern = /\$([A-Za-z_][\w-]*)\.output(?!\w)(?:\.(\w+))?/y;
const shortPattern = /\$([A-Za-z_][\w-]*)\.(\w+)/y;
const namePattern = /\$([A-Za-z_]\w*)/y;

/** Parses a reference at a `$`; the only place that knows the grammar of references. */
export function matchDollar(source: string, at: number, options: DollarOptions = {}): Dollar {
  const { known = nativeNames, short = false } = options;
  if (source[at + 1] === "$") return { end: at + 2 };
  const path = matchPath(source, at);
  if (path !== undefined) return path;
  const name = match(namePattern, source, at)?.[1];
  if (name !== undefined && known.has(name)) {
    return { reference: { ref: "value", name }, end: at + 1 + name.length };
  }
  const [whole, node = "", field = ""] = (short && match(shortPattern, source, at)) || [];
  if (whole !== undefined) return { reference: { ref: "output", node, field }, end: at + whole.length };
  return name === undefined ? { end: at + 1 } : { unknown: name, end: at + 1 + name.length };
}

/** References that begin with a fixed form, in the order in which they are tried. */
const paths: readonly (readonly [RegExp, (found: RegExpExecArray) => Reference])[] = [
  [inputPattern, ([, name = ""]) => ({ ref: "input", name })],
  [previousPattern, ([, node = "", name]) => ({ ref: "previous", node, ...field(name) })],
  [itemPattern, ([, name]) => ({ ref: "item", ...field(name) })],
  [outputPattern, ([, node = "", name]) => ({ ref: "output", node, ...field(name) })],
];

function matchPath(source: string, at: number): Dollar | undefined {
  for (const [pattern, referenceOf] of paths) {
    const found = match(pattern, source, at);
    if (found !== undefined) return { reference: referenceOf(found), end: at + found[0].length };
  }
  return undefined;
}

const field = (name: string | undefined) => (name === undefined ? {} : { field: name });

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source) ?? undefined;
}
