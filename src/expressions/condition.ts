import { type ExpressionOptions, evaluate, isTrue, parseExpression } from "./cel.ts";
import { matchDollar, type TemplatePosition } from "./dollar-template.ts";
import type { ExpressionFault } from "./expression-error.ts";
import { renderText } from "./render.ts";
import { type Scope, UnresolvedError } from "./scope.ts";
import type { Comparison, Condition, Sameness } from "./template.ts";

export type ParsedCondition =
  | { readonly condition: Condition; readonly places: readonly TemplatePosition[] }
  | ExpressionFault;

/** Parses a condition: Archon's comparisons, else a CEL expression. */
export function parseCondition(source: string, options: ExpressionOptions = {}): ParsedCondition {
  const compared = parseComparisons(source, options);
  if ("because" in compared) return compared;
  if ("anyOf" in compared) {
    return { condition: { kind: "comparisons", anyOf: compared.anyOf }, places: compared.places };
  }
  const parsed = parseExpression(source, { ...options, short: true });
  if ("because" in parsed) return { because: parsed.because, offset: placeOf(parsed, compared.offset) };
  return { condition: { kind: "cel", ...parsed.expression }, places: parsed.places };
}

// The end of the longer of the two failed parses is the position of the error; only CEL reports unknown names.
function placeOf({ because, offset = 0 }: ExpressionFault, end: number): number {
  return offset > end || because.startsWith("unknown ") ? offset : end;
}

/** Evaluates a condition; throws `UnresolvedError` if it cannot be decided. */
export function holds(condition: Condition, scope: Scope): boolean {
  if (condition.kind === "comparisons") {
    return condition.anyOf.some((all) => all.every((comparison) => compares(comparison, scope)));
  }
  if (condition.kind === "sameness") return isSame(condition, scope) !== condition.differs;
  const result = isTrue(evaluate(condition, scope));
  if (!result.ok && result.missing && condition.missing === "false") return false;
  if (!result.ok) throw new UnresolvedError(result.because);
  return result.value;
}

function isSame({ left, right }: Sameness, scope: Scope): boolean {
  const plain = (text: Sameness["left"]) => renderText(text, scope).trim().toLowerCase();
  const text = plain(left);
  return right === undefined ? !["", "false", "0"].includes(text) : text === plain(right);
}

type Comparisons =
  | { readonly anyOf: readonly (readonly Comparison[])[]; readonly places: readonly TemplatePosition[] }
  /** The error if the text is neither a comparison nor CEL. */
  | { readonly because: string; readonly offset: number }
  | { readonly offset: number };

function parseComparisons(source: string, options: ExpressionOptions): Comparisons {
  const anyOf: Comparison[][] = [[]];
  const never = new Set<Comparison[]>();
  const places: TemplatePosition[] = [];
  for (let at = skip(source, 0); ; ) {
    const part = readComparison(source, at, options);
    if (!("end" in part)) return part;
    const all = anyOf.at(-1) ?? [];
    if ("comparison" in part) {
      places.push({ reference: part.comparison.left, offset: at });
      all.push(part.comparison);
    } else if (!part.holds) never.add(all);
    const next = skip(source, part.end);
    if (next >= source.length) return { anyOf: anyOf.filter((one) => !never.has(one)), places };
    const joint = source.slice(next, next + 2);
    if (joint === "||") anyOf.push([]);
    else if (joint !== "&&") return { offset: next };
    at = skip(source, next + 2);
  }
}

/** One comparison. If both sides are known texts, only the result is kept. */
type ReadComparison =
  | { readonly end: number; readonly comparison: Comparison }
  | { readonly end: number; readonly holds: boolean }
  | Exclude<Comparisons, { readonly anyOf: unknown }>;

function readComparison(source: string, at: number, options: ExpressionOptions): ReadComparison {
  const left = readLeft(source, at, options) ?? readConstant(source, at);
  if (left === undefined) return { offset: at };
  const right = readRight(source, skip(source, left.end));
  if (right === undefined) return { offset: left.end };
  const { operator, literal, end } = right;
  const known = [...("constant" in left ? [left.constant] : []), literal];
  const nonNumber = ordered.has(operator) ? known.find((text) => numberIn(text) === undefined) : undefined;
  if (nonNumber !== undefined)
    return { because: `${operator} compares numbers, and "${nonNumber}" is not a number`, offset: left.end };
  if ("constant" in left) return { end, holds: holdsFor(left.constant, operator, literal) };
  return { end, comparison: { left: left.reference, operator, right: literal } };
}

function skip(source: string, at: number): number {
  let end = at;
  while (end < source.length && /\s/.test(source[end] ?? "")) end++;
  return end;
}

function readLeft(source: string, at: number, options: ExpressionOptions) {
  if (source[at] !== "$") return undefined;
  const { reference, end } = matchDollar(source, at, { ...options, short: true });
  return reference === undefined ? undefined : { reference, end };
}

const constantPattern = /(?:'([^']*)'|"([^"]*)"|(true|false|[-+]?\d+(?:\.\d+)?))(?=\s|[=!<>])/y;

/** A literal on the left, where an input of an included workflow was substituted. */
function readConstant(source: string, at: number) {
  constantPattern.lastIndex = at;
  const [whole, single, double, bare] = constantPattern.exec(source) ?? [];
  return whole === undefined
    ? undefined
    : { constant: single ?? double ?? bare ?? "", end: at + whole.length };
}

const rightPattern = /(==|!=|<=|>=|<|>)\s*(?:'([^']*)'|"([^"]*)"|([\w.+-]+))(?=\s|&&|\|\||$)/y;

function readRight(source: string, at: number) {
  rightPattern.lastIndex = at;
  const [whole, operator, single, double, bare] = rightPattern.exec(source) ?? [];
  if (whole === undefined) return undefined;
  return {
    operator: operator as Comparison["operator"],
    literal: single ?? double ?? bare ?? "",
    end: at + whole.length,
  };
}

const compares = ({ left, operator, right }: Comparison, scope: Scope): boolean =>
  holdsFor(scope.text(left), operator, right);

function holdsFor(text: string, operator: Comparison["operator"], right: string): boolean {
  switch (operator) {
    case "==":
      return text === right;
    case "!=":
      return text !== right;
    case "<":
      return number(text) < number(right);
    case ">":
      return number(text) > number(right);
    case "<=":
      return number(text) <= number(right);
    case ">=":
      return number(text) >= number(right);
  }
}

const ordered: ReadonlySet<string> = new Set(["<", ">", "<=", ">="]);

function number(text: string): number {
  const value = numberIn(text);
  if (value !== undefined) return value;
  throw new UnresolvedError(`"${text.slice(0, 100)}" is not a number, so it cannot be compared by order`);
}

// As in Archon, a number may be followed by its unit: `5 files`, `85%`, `85/100`. Archon also reads `1,234` as 1 and
// `2026-11-28` as 2026, which is not what anybody means.
const withUnit = /^\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)(?:\s*[%/]|\s+[^\s\d])/i;

function numberIn(text: string): number | undefined {
  const written = withUnit.exec(text)?.[1] ?? text;
  const value = written.trim() === "" ? Number.NaN : Number(written);
  return Number.isFinite(value) ? value : undefined;
}
