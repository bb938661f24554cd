import {
  type CelInput,
  type CelValue,
  celError,
  isCelError,
  isCelList,
  isCelMap,
  isCelUint,
  parse,
  plan,
} from "@bufbuild/cel";
import type { Json } from "../ports/json.ts";
import { messageOf } from "../ports/message-of.ts";
import { nearestWord } from "../ports/nearest-word.ts";
import { beginCount, chargeValues } from "./cel-cost.ts";
import { appender, counter, env } from "./cel-functions.ts";
import { type ExpressionFault, maxLength, placeOfName } from "./expression-error.ts";

/** A compiled CEL expression. */
export interface CelProgram {
  /** Evaluates the expression. An error among the values counts only if that value is needed. */
  run(values: Values): { readonly value: Json } | { readonly because: string };
  /** The free names it reads. */
  readonly names: readonly string[];
}

/** The values of the names in an expression, or why they have none. */
export type Values = Readonly<Record<string, Json | Error>>;

const cacheSize = 500;
const cache = new Map<string, CelProgram | ExpressionFault>();

/** Compiles a source (cached), or reports what is wrong with it. */
export function compile(source: string): CelProgram | ExpressionFault {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const compiled = compileNew(source);
  if (cache.size >= cacheSize) cache.delete(cache.keys().next().value ?? "");
  cache.set(source, compiled);
  return compiled;
}

function compileNew(source: string): CelProgram | ExpressionFault {
  if (source.trim() === "") return { because: "the expression is empty" };
  if (new TextEncoder().encode(source).length > maxLength) {
    return { because: `the expression is longer than ${maxLength} bytes` };
  }
  try {
    const { expr } = parse(source);
    const used: Used = { names: new Set(), functions: new Set(), seen: 0 };
    visit(expr, { used, bound: new Set() });
    const unknown = [...used.functions].find((name) => own.has(name) || env.funcs.find(name) === undefined);
    if (unknown !== undefined)
      return { because: unknownFunction(unknown), ...placeOfName(source, `${unknown}(?=\\s*\\()`) };
    const planned = plan(env, expr);
    const run: CelProgram["run"] = (values) => {
      beginCount();
      const result = planned(inputsOf(values));
      if (isCelError(result)) return { because: result.message };
      chargeValues(result);
      return { value: fromCel(result) };
    };
    return { run, names: [...used.names] };
  } catch (error) {
    return complaint(error, source);
  }
}

function inputsOf(values: Values): Record<string, CelInput> {
  const inputs: Record<string, CelInput> = Object.create(null);
  for (const [name, value] of Object.entries(values))
    inputs[name] = value instanceof Error ? (celError(value) as unknown as CelInput) : toCel(value);
  return inputs;
}

const own: ReadonlySet<string> = new Set([counter, appender]);

const types: ReadonlySet<string> = new Set(
  "bool bytes double dyn google int list map null_type string type uint".split(" "),
);

interface Used {
  readonly names: Set<string>;
  readonly functions: Set<string>;
  /** Number of nodes visited in the expression. */
  seen: number;
}

interface CheckScope {
  readonly used: Used;
  readonly bound: ReadonlySet<string>;
}

type Expr = ReturnType<typeof parse>["expr"];

function visit(expr: Expr | undefined, context: CheckScope): void {
  context.used.seen += 1;
  const { case: kind, value } = expr?.exprKind ?? { case: undefined };
  switch (kind) {
    case "identExpr":
      if (!context.bound.has(value.name) && !types.has(value.name)) context.used.names.add(value.name);
      break;
    case "selectExpr":
      visit(value.operand, context);
      break;
    case "callExpr":
      visitCall(value, context);
      break;
    case "listExpr":
      for (const element of value.elements) visit(element, context);
      break;
    case "structExpr":
      for (const entry of value.entries) {
        if (entry.keyKind.case === "mapKey") visit(entry.keyKind.value, context);
        visit(entry.value, context);
      }
      break;
    case "comprehensionExpr":
      visitLoop(value, context);
      break;
  }
}

type Kind = NonNullable<Expr["exprKind"]>;
type Call = Extract<Kind, { case: "callExpr" }>["value"];
type Loop = Extract<Kind, { case: "comprehensionExpr" }>["value"];

function visitCall(call: Call, context: CheckScope): void {
  for (const argument of call.args) visit(argument, context);
  const target = call.target?.exprKind;
  const qualified = target?.case === "identExpr" ? `${target.value.name}.${call.function}` : undefined;
  if (qualified !== undefined && env.funcs.find(qualified) !== undefined) return;
  visit(call.target, context);
  if (/^[A-Za-z]\w*$/.test(call.function)) context.used.functions.add(call.function);
}

function visitLoop(loop: Loop, context: CheckScope): void {
  const { used } = context;
  visit(loop.iterRange, context);
  visit(loop.accuInit, context);
  const before = used.seen;
  const bound = new Set([...context.bound, loop.iterVar, loop.iterVar2, loop.accuVar]);
  const inner = { used, bound };
  for (const part of [loop.loopCondition, loop.loopStep, loop.result]) visit(part, inner);
  count(loop, used.seen - before);
  growInPlace(loop);
}

/** Lets a loop that builds a list append in place; the list is visible only to the loop until it is complete. */
function growInPlace({ loopStep, accuVar }: Loop): void {
  const step = loopStep?.exprKind;
  if (step?.case !== "callExpr") return;
  const added = step.value.function === "_?_:_" ? step.value.args[1]?.exprKind : step;
  if (added?.case !== "callExpr" || added.value.function !== "_+_") return;
  const [list, more] = added.value.args.map(({ exprKind }) => exprKind);
  const isOwn = list?.case === "identExpr" && list.value.name === accuVar;
  if (isOwn && more?.case === "listExpr") added.value.function = appender;
}

const perNode = 2;

/** Makes a loop charge its cost: the cost of its body, times the number of elements. */
function count(loop: Loop, nodes: number): void {
  const call = parse(`${counter}(0, ${perNode * (nodes + 3)})`).expr;
  if (call.exprKind.case !== "callExpr" || loop.iterRange === undefined) return;
  call.exprKind.value.args[0] = loop.iterRange;
  loop.iterRange = call;
}

function unknownFunction(name: string): string {
  const meant = nearestWord(name, new Set(Array.from(env.funcs, (known) => known.name)));
  return `unknown function "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}

function complaint(error: unknown, source: string): ExpressionFault {
  if (error instanceof RangeError) return { because: "the expression is nested too deeply" };
  const message = messageOf(error);
  const [, line, column, what = message] = /^<input>:(\d+):(\d+): ([\s\S]*)$/.exec(message) ?? [];
  const [text = what] = what.split(" but expecting");
  const shown = text
    .replace(/^found (end of input)?(.*)/s, (_, end, sign) => `unexpected ${end ?? `\`${sign}\``}`)
    .slice(0, 200);
  if (line === undefined) return { because: shown };
  const before = source.split("\n").slice(0, Number(line) - 1);
  const offset = before.reduce((sum, text) => sum + text.length + 1, 0) + Number(column) - 1;
  return { because: shown, offset: Math.min(offset, source.length) };
}

/** Converts a JSON value to CEL: whole numbers become integers. */
function toCel(value: Json): CelInput {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toCel);
  return new Map(Object.entries(value).map(([key, field]) => [key, toCel(field)]));
}

/** Converts a CEL value to JSON; throws if JSON cannot represent it. */
function fromCel(value: CelValue): Json {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number" && !Number.isFinite(value))
    throw new Error(`the result is ${value}, not a number`);
  if (typeof value !== "object" || value === null) return value;
  if (isCelUint(value)) return Number(value.value);
  if (isCelList(value)) return Array.from(value, fromCel);
  if (isCelMap(value))
    return Object.fromEntries(Array.from(value, ([key, field]) => [keyOf(key), fromCel(field)]));
  throw new Error("the result is not a value of JSON: use string(…)");
}

function keyOf(key: unknown): string {
  return isCelUint(key) ? String(key.value) : String(key);
}
