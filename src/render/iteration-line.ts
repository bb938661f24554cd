import { toArray } from "../status/bounded-list.ts";
import { changes, duration, money, shortened, tokens } from "../status/format.ts";
import type { LoopSummary } from "../status/loop-summary.ts";
import { attemptText, isWorthShowing, verdictText } from "./verdict-text.ts";

/** How an iteration ended, in one line: its verdict, tests before and after, what changed, time, tokens, cost. */
export function iterationResult(loop: LoopSummary, number: number): string {
  const row = rowOf(loop, number);
  if (row === undefined) return "";
  const before = rowOf(loop, number - 1)?.failing ?? (number === 1 ? loop.before?.failing : undefined);
  return [
    ...attemptText(row, loop),
    ...row.stops.filter(isWorthShowing).map((stop) => verdictText(stop, before)),
    changes(row.diff) === "nothing" ? "no files changed" : changes(row.diff),
    row.durationMs === undefined ? "" : duration(row.durationMs),
    tokens(row.usage) === "" ? "" : `${tokens(row.usage)} tokens`,
    money(row.usage),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** The files that an iteration changed, at most three by name: `a.js, b.js`; empty if there are none. */
export function changedFiles(loop: LoopSummary, number: number): string {
  const { files = 0, paths = [] } = rowOf(loop, number)?.diff ?? {};
  const names = paths.slice(0, mostNames).map((path) => shortened(path, 60));
  return [...names, ...(files > names.length ? [`${files - names.length} more`] : [])].join(", ");
}

const mostNames = 3;

const rowOf = (loop: LoopSummary, number: number) => toArray(loop.rows).find((row) => row.number === number);
