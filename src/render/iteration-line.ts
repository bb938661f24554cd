import { toArray } from "../status/bounded-list.ts";
import { changes, duration, money, shortened, tokens } from "../status/format.ts";
import type { IterationRow, LoopSummary } from "../status/loop-summary.ts";
import { attemptText, isWorthShowing, verdictText } from "./verdict-text.ts";

/** How an iteration ended, in one line: its verdict, tests before and after, what changed, time, tokens, cost. */
export function iterationResult(loop: LoopSummary, number: number): string {
  const row = rowOf(loop, number);
  if (row === undefined) return "";
  const before = rowOf(loop, number - 1)?.failing ?? (number === 1 ? loop.before?.failing : undefined);
  return [
    ...attemptText(row, loop),
    ...row.stops.filter(isWorthShowing).map((stop) => verdictText(stop, before)),
    changedFiles(row.diff),
    row.durationMs === undefined ? "" : duration(row.durationMs),
    tokens(row.usage) === "" ? "" : `${tokens(row.usage)} tokens`,
    money(row.usage),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** `2 files +10 −3 (a.js, b.js)`. */
function changedFiles(diff: IterationRow["diff"]): string {
  if (diff === undefined) return "";
  if (diff.files === 0) return "no files changed";
  const names = diff.paths.slice(0, mostNames).map((path) => shortened(path, 60));
  const more = diff.files > names.length ? ["…"] : [];
  return names.length === 0 ? changes(diff) : `${changes(diff)} (${[...names, ...more].join(", ")})`;
}

const mostNames = 3;

const rowOf = (loop: LoopSummary, number: number) => toArray(loop.rows).find((row) => row.number === number);
