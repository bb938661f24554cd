import { evaluate, isTrue, parseExpression } from "./cel.ts";
import { type DollarOptions, matchDollar, type TemplatePosition } from "./dollar-template.ts";
import type { ExpressionFault } from "./expression-error.ts";
import { renderText } from "./render.ts";
import { type Scope, UnresolvedError } from "./scope.ts";
import type { Comparison, Condition, Sameness } from "./template.ts";

export type ParsedCondition =
  | { readonly condition: Condition; readonly places: readonly TemplatePosition[] }
  | { readonly because: string; readonly offset?: number };

export interface ConditionOptions extends DollarOptions {
  /** Plain names an expression may use. If absent, an unknown name shows only at evaluation. */
  readonly names?: readonly string[];
}

/** Parses a condition: Archon's comparisons, else a CEL expression. */
export function parseCondition(source: string, options: ConditionOptions = {}): ParsedCondition {
  const compared = parseComparisons(source, options);
  if ("because" in compared) return compared;
  if ("anyOf" in compared) {
    return { condition: { kind: "comparisons", anyOf: compared.anyOf }, places: compared.places };
  }
  const parsed = parseExpression(source, { ...options, short: true });
  if ("because" in parsed) return { because: parsed.because, offset: placeOf(parsed, compared.offset) };
  return { condition: { kind: "cel", ...parsed.expression }, places: parsed.places };
}

// Of CEL and the comparisons, the one that read further knows the place; unknown names are reported by CEL alone.
function placeOf({ because, offset = 0 }: ExpressionFault, end: number): number {
  return offset > end || because.startsWith("unknown ") ? offset : end;
}

/** Whether a condition holds here; throws `UnresolvedError` if that cannot be decided. */
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

function parseComparisons(source: string, options: ConditionOptions): Comparisons {
  const anyOf: Comparison[][] = [[]];
  const places: TemplatePosition[] = [];
  for (let at = skip(source, 0); ; ) {
    const left = readLeft(source, at, options);
    if (left === undefined) return { offset: at };
    const right = readRight(source, skip(source, left.end));
    if (right === undefined) return { offset: left.end };
    const { operator, literal } = right;
    if (ordered.has(operator) && numberIn(literal) === undefined)
      return { because: `${operator} compares numbers, and "${literal}" is not a number`, offset: left.end };
    places.push({ reference: left.reference, offset: at });
    anyOf.at(-1)?.push({ left: left.reference, operator, right: literal });
    const next = skip(source, right.end);
    if (next >= source.length) return { anyOf, places };
    const joint = source.slice(next, next + 2);
    if (joint === "||") anyOf.push([]);
    else if (joint !== "&&") return { offset: next };
    at = skip(source, next + 2);
  }
}

function skip(source: string, at: number): number {
  let end = at;
  while (end < source.length && /\s/.test(source[end] ?? "")) end++;
  return end;
}

function readLeft(source: string, at: number, options: ConditionOptions) {
  if (source[at] !== "$") return undefined;
  const { reference, end } = matchDollar(source, at, { ...options, short: true });
  return reference === undefined ? undefined : { reference, end };
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

function compares({ left, operator, right }: Comparison, scope: Scope): boolean {
  const text = scope.text(left);
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

function numberIn(text: string): number | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
