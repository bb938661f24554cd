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
  const field = short ? match(shortPattern, source, at) : undefined;
  if (field !== undefined)
    return dollarAt({ ref: "output", node: field[1] ?? "", field: field[2] ?? "" }, at, field);
  return name === undefined ? { end: at + 1 } : { unknown: name, end: at + 1 + name.length };
}

function matchPath(source: string, at: number): Dollar | undefined {
  const input = match(inputPattern, source, at);
  if (input !== undefined) return dollarAt({ ref: "input", name: input[1] ?? "" }, at, input);
  const previous = match(previousPattern, source, at);
  if (previous !== undefined) {
    return dollarAt({ ref: "previous", node: previous[1] ?? "", ...field(previous[2]) }, at, previous);
  }
  const item = match(itemPattern, source, at);
  if (item !== undefined) return dollarAt({ ref: "item", ...field(item[1]) }, at, item);
  const output = match(outputPattern, source, at);
  if (output !== undefined)
    return dollarAt({ ref: "output", node: output[1] ?? "", ...field(output[2]) }, at, output);
  return undefined;
}

function dollarAt(reference: Reference, at: number, matched: RegExpExecArray): Dollar {
  return { reference, end: at + matched[0].length };
}

const field = (name: string | undefined) => (name === undefined ? {} : { field: name });

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source) ?? undefined;
}
