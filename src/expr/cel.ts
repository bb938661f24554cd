import type { Json } from "../ports/json.ts";
import type { Program, Values } from "./cel-program.ts";
import { type Complaint, maxLength, placeOfName } from "./complaint.ts";
import { type DollarOptions, matchDollar, type Place } from "./dollar.ts";
import { nearest } from "./nearest.ts";
import { openPart, UnloadedError } from "./part.ts";
import { type Replacement, rewrite } from "./rewritten.ts";
import { type Scope, UnresolvedError } from "./scope.ts";
import type { Expression, Reference } from "./text.ts";
import { variables } from "./variables.ts";

export type Evaluated =
  | { readonly ok: true; readonly value: Json }
  /** `missing`: something it reads is not there. */
  | { readonly ok: false; readonly because: string; readonly missing?: boolean };

export interface ExpressionOptions extends DollarOptions {
  /** Plain names the expression may use; without them an unknown name shows only when it is evaluated. */
  readonly names?: readonly string[];
}

export type ParsedExpression =
  | { readonly expression: Expression; readonly places: readonly Place[] }
  | Complaint;

/** CEL: as large as all the rest that a run needs, and most workflows have no expression. */
export const cel = openPart(() => import("./cel-program.ts"));

const compile = (source: string) => cel.get().compile(source);

/** What is wrong with an expression in CEL, if anything; unknown names only where `names` says which are known. */
export function checkExpression(source: string, names?: readonly string[]): Complaint | undefined {
  const compiled = compile(source);
  if ("because" in compiled) return compiled;
  return names === undefined ? undefined : unknownName(compiled, { known: names, source });
}

/** Reads an expression in CEL with `$references`, which become variables of it. */
export function parseExpression(source: string, options: ExpressionOptions = {}): ParsedExpression {
  if (source.length > maxLength) return { because: `the expression is longer than ${maxLength} bytes` };
  const names = variables(new Set(options.names));
  const places: Place[] = [];
  const replacements: Replacement[] = [];
  for (const { index } of source.matchAll(stringOrDollar)) {
    if (source[index] !== "$" || index < (replacements.at(-1)?.to ?? 0)) continue;
    const found = matchPath(source, index, options);
    if (found === undefined) continue;
    places.push({ reference: found.reference, offset: index });
    replacements.push({ from: index, to: found.end, by: names.name(found.reference) });
  }
  const { text, back } = rewrite(source, replacements);
  const expression: Expression = { source: text, variables: names.all() };
  const known =
    options.names === undefined ? undefined : [...options.names, ...Object.keys(expression.variables)];
  const wrong = checkExpression(text, known);
  if (wrong === undefined) return { expression, places };
  return wrong.offset === undefined ? wrong : { because: wrong.because, offset: back(wrong.offset) };
}

/** The value of an expression here, or why it has none; throws only an `UnloadedError`. */
export function evaluate(expression: Expression, scope: Scope): Evaluated {
  try {
    const compiled = compile(expression.source);
    if ("because" in compiled) return { ok: false, because: compiled.because };
    const values = bind(expression, scope);
    const result = compiled.run(values);
    if ("value" in result) return { ok: true, value: result.value };
    const unbound = unknownName(compiled, { known: Object.keys(values), source: "" })?.because;
    // Whether a lack is an error is for those who bind names to say.
    const isMissing = unbound !== undefined || missingData.test(result.because);
    const missing = expression.bind !== undefined && isMissing ? { missing: true } : {};
    return { ok: false, because: unbound ?? result.because, ...missing };
  } catch (error) {
    if (error instanceof UnloadedError) throw error;
    return { ok: false, because: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether an expression that must be true or false is true; anything else is said to be wrong. */
export function isTrue(
  result: Evaluated,
): { readonly ok: true; readonly value: boolean } | Extract<Evaluated, { ok: false }> {
  if (!result.ok) return result;
  if (typeof result.value === "boolean") return { ok: true, value: result.value };
  return { ok: false, because: `${JSON.stringify(result.value).slice(0, 100)} is not true or false` };
}

const missingData = /^(?:field not found|index .* out of bounds)/;

// Strings of CEL, long ones first; a raw string ends at its quote whatever stands before it.
const stringOrDollar =
  /\b[rR][bB]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\$/g;

interface Found {
  readonly reference: Reference;
  readonly end: number;
}

function matchPath(source: string, at: number, options: ExpressionOptions): Found | undefined {
  const { reference, end } = matchDollar(source, at, options);
  if (reference === undefined) return undefined;
  // What looks like a field and is called is a method of the value.
  if (!("field" in reference) || !/^\s*\(/.test(source.slice(end, end + 8))) return { reference, end };
  const { field, ...whole } = reference;
  return { reference: whole, end: end - (field?.length ?? 0) - 1 };
}

function bind(expression: Expression, scope: Scope): Values {
  const values: Record<string, Json | Error> = Object.create(null);
  const { bind: bound } = expression;
  Object.assign(values, bound === undefined ? scope.names : {});
  for (const [name, binding] of Object.entries(bound ?? {})) {
    const value = scope.bound?.(binding);
    if (value !== undefined) values[name] = value;
  }
  for (const [name, reference] of Object.entries(expression.variables)) {
    const isText = isReadAsText(expression.source, name);
    values[name] = standsFor(reference, { read: (it) => (isText ? scope.text(it) : scope.value(it)) });
  }
  return values;
}

const ofTexts =
  "charAt|contains|endsWith|indexOf|lastIndexOf|lowerAscii|matches|replace|split|startsWith|substring|trim|upperAscii";

/** Whether an expression only asks of a variable what texts are asked: an output such as `7` is text there, no number. */
function isReadAsText(source: string, name: string): boolean {
  const uses = [
    ...source.matchAll(new RegExp(`(?<![\\w.])${name}(?!\\w)(\\s*\\.\\s*(?:${ofTexts})\\s*\\()?`, "g")),
  ];
  return uses.length > 0 && uses.every(([, method]) => method !== undefined);
}

// A value that is missing is an error only where it is needed: `true || $gone.output.x` is true.
function standsFor(reference: Reference, { read }: { read(reference: Reference): Json }): Json | Error {
  try {
    return read(reference);
  } catch (error) {
    if (error instanceof UnresolvedError) return error;
    throw error;
  }
}

function unknownName(
  program: Program,
  { known, source }: { readonly known: readonly string[]; readonly source: string },
): Complaint | undefined {
  const name = program.names.find((used) => !known.includes(used));
  if (name === undefined) return undefined;
  const meant = nearest(name, known);
  const because = `unknown name "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
  return { because, ...placeOfName(source, name) };
}
