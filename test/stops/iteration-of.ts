import type { Iteration } from "../../src/stops/stop.ts";
import { type Known, scopeOf } from "../expressions/scope-of.ts";

/** An iteration whose agent said `raw`. */
export function iterationOf(
  raw: string,
  more: Partial<Iteration> & { readonly known?: Known } = {},
): Iteration {
  const { known, ...rest } = more;
  return {
    number: 2,
    loop: "fix",
    raw,
    output: raw,
    result: undefined,
    signals: [],
    scope: scopeOf({ names: { output: raw, iteration: 2 }, ...known }),
    ...rest,
  };
}
