import type { Json } from "../ports/json.ts";
import { lazyModule, NotLoadedError } from "../ports/lazy-module.ts";
import { messageOf } from "../ports/message-of.ts";
import { nearestWord } from "../ports/nearest-word.ts";
import type { CelProgram, Values } from "./cel-program.ts";
import { type DollarOptions, matchDollar, type TemplatePosition } from "./dollar-template.ts";
import { type ExpressionFault, maxLength, placeOfName } from "./expression-error.ts";
import { type Scope, UnresolvedError } from "./scope.ts";
import { type Replacement, rewrite } from "./source-map.ts";
import type { Expression, Reference } from "./template.ts";
import { variables } from "./variables.ts";

export type Evaluated =
  | { readonly ok: true; readonly value: Json }
  /** `missing`: a value it reads does not exist. */
  | { readonly ok: false; readonly because: string; readonly missing?: boolean };

export interface ExpressionOptions extends DollarOptions {
  /** Plain names the expression may use. If absent, an unknown name shows only at evaluation. */
  readonly names?: readonly string[];
}

export type ParsedExpression =
  | { readonly expression: Expression; readonly places: readonly TemplatePosition[] }
  | ExpressionFault;

/** CEL, loaded on demand: it is as large as the rest of the engine, and most workflows have no expression. */
export const cel = lazyModule(() => import("./cel-program.ts"));

const compile = (source: string) => cel.get().compile(source);

/** The fault of a CEL expression, if any. Unknown names are reported only if `names` lists the known ones. */
export function checkExpression(source: string, names?: readonly string[]): ExpressionFault | undefined {
  const compiled = compile(source);
  if ("because" in compiled) return compiled;
  return names === undefined ? undefined : unknownName(compiled, { known: names, source });
}

/** Parses a CEL expression whose `$references` become variables. */
export function parseExpression(source: string, options: ExpressionOptions = {}): ParsedExpression {
  if (source.length > maxLength) return { because: `the expression is longer than ${maxLength} bytes` };
  const names = variables(new Set(options.names));
  const places: TemplatePosition[] = [];
  const replacements: Replacement[] = [];
  for (const { index } of source.matchAll(stringOrDollar)) {
    if (source[index] !== "$" || index < (replacements.at(-1)?.to ?? 0)) continue;
    const pathMatch = matchPath(source, index, options);
    if (pathMatch === undefined) continue;
    places.push({ reference: pathMatch.reference, offset: index });
    replacements.push({ from: index, to: pathMatch.end, by: names.name(pathMatch.reference) });
  }
  const { text, back } = rewrite(source, replacements);
  const expression: Expression = { source: text, variables: names.all() };
  const known =
    options.names === undefined ? undefined : [...options.names, ...Object.keys(expression.variables)];
  const wrong = checkExpression(text, known);
  if (wrong === undefined) return { expression, places };
  return wrong.offset === undefined ? wrong : { because: wrong.because, offset: back(wrong.offset) };
}

/** Evaluates an expression; `because` says why there is no value. Throws only `NotLoadedError`. */
export function evaluate(expression: Expression, scope: Scope): Evaluated {
  try {
    const compiled = compile(expression.source);
    if ("because" in compiled) return { ok: false, because: compiled.because };
    const values = bind(expression, scope);
    const result = compiled.run(values);
    if ("value" in result) return { ok: true, value: result.value };
    const unbound = unknownName(compiled, { known: Object.keys(values), source: "" })?.because;
    // Whether a missing value is an error was decided when the names were bound.
    const isMissing = unbound !== undefined || missingData.test(result.because);
    const missing = expression.bind !== undefined && isMissing ? { missing: true } : {};
    return { ok: false, because: unbound ?? result.because, ...missing };
  } catch (error) {
    if (error instanceof NotLoadedError) throw error;
    return { ok: false, because: messageOf(error) };
  }
}

/** Evaluates an expression that must be true or false; anything else is an error. */
export function isTrue(
  result: Evaluated,
): { readonly ok: true; readonly value: boolean } | Extract<Evaluated, { ok: false }> {
  if (!result.ok) return result;
  if (typeof result.value === "boolean") return { ok: true, value: result.value };
  return { ok: false, because: `${JSON.stringify(result.value).slice(0, 100)} is not true or false` };
}

const missingData = /^(?:field not found|index .* out of bounds)/;

// CEL string literals, long ones first; a raw string ends at its quote even after a backslash.
const stringOrDollar =
  /\b[rR][bB]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\$/g;

interface PathMatch {
  readonly reference: Reference;
  readonly end: number;
}

function matchPath(source: string, at: number, options: ExpressionOptions): PathMatch | undefined {
  const { reference, end } = matchDollar(source, at, options);
  if (reference === undefined) return undefined;
  // A field that is called is a method.
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
    values[name] = valueOrError(reference, { read: (it) => (isText ? scope.text(it) : scope.value(it)) });
  }
  return values;
}

const ofTexts =
  "charAt|contains|endsWith|indexOf|lastIndexOf|lowerAscii|matches|replace|split|startsWith|substring|trim|upperAscii";

/** True if the expression uses a variable only as text: then an output such as `7` stays text. */
function isReadAsText(source: string, name: string): boolean {
  const uses = [
    ...source.matchAll(new RegExp(`(?<![\\w.])${name}(?!\\w)(\\s*\\.\\s*(?:${ofTexts})\\s*\\()?`, "g")),
  ];
  return uses.length > 0 && uses.every(([, method]) => method !== undefined);
}

// A missing value is an error only if it is needed: `true || $gone.output.x` is true.
function valueOrError(reference: Reference, { read }: { read(reference: Reference): Json }): Json | Error {
  try {
    return read(reference);
  } catch (error) {
    if (error instanceof UnresolvedError) return error;
    throw error;
  }
}

function unknownName(
  program: CelProgram,
  { known, source }: { readonly known: readonly string[]; readonly source: string },
): ExpressionFault | undefined {
  const name = program.names.find((used) => !known.includes(used));
  if (name === undefined) return undefined;
  const meant = nearestWord(name, known);
  const message = `unknown name "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
  return { because: message, ...placeOfName(source, name) };
}
