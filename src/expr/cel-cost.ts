import { type CelFunc, CelScalar, celFunc, isCelList, isCelMap, parse } from "@bufbuild/cel";

type Expr = ReturnType<typeof parse>["expr"];
type Kind = NonNullable<Expr["exprKind"]>;
type Loop = Extract<Kind, { case: "comprehensionExpr" }>["value"];

/** The most elements that all loops of an expression may look at: a few milliseconds. */
const mostSteps = 10_000;
const longestText = 4 * 1024 * 1024;

/** The name under which a loop counts; no author can call it. */
const counter = "until_green_count_";

let steps = 0;

/** Counts what the next evaluation does from nothing. */
export function beginCount(): void {
  steps = 0;
}

/** Whether a function is ours alone. */
export const isCounter = (name: string): boolean => name === counter;

/** What counts the elements of a list as a loop begins on it; throws where they are too many in all. */
export const countSteps: CelFunc = celFunc(counter, [CelScalar.DYN], CelScalar.DYN, (range) => {
  if (isCelList(range) || isCelMap(range)) steps += range.size;
  if (steps > mostSteps)
    throw new Error(`its loops take more than ${mostSteps} steps: the lists are too long`);
  return range;
});

/** Lets a loop count its steps. */
export function counted(loop: Loop): void {
  const call = parse(`${counter}(0)`).expr;
  if (call.exprKind.case !== "callExpr" || loop.iterRange === undefined) return;
  call.exprKind.value.args = [loop.iterRange];
  loop.iterRange = call;
}

/** A function of texts whose result can be far longer than what it is given, with a bound. */
export const bounded = (func: CelFunc): CelFunc =>
  func.name !== "replace"
    ? func
    : Object.create(func, {
        call: {
          value(...[id, target, args]: Parameters<CelFunc["call"]>) {
            const [, by] = args;
            const isLong = typeof target === "string" && typeof by === "string";
            if (isLong && target.length * by.length > longestText)
              throw new Error("the text would be too long");
            return func.call(id, target, args);
          },
        },
      });
