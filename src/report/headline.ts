import type { Conclusion } from "../engine/told.ts";
import { narrowed } from "./kept.ts";
import type { LoopSummary } from "./loop-summary.ts";
import type { Summary } from "./summary.ts";
import { count, duration, money, reasonWords, shortened, tokens } from "./words.ts";

/** How a run stands, in one line: a sign, its name and the reason. Plain text. */
export function headline(summary: Summary): string {
  const name = summary.workflow === "" ? "The run" : shortened(summary.workflow, mostName);
  const reason = summary.stopReason === undefined ? "" : `: ${reasonWords[summary.stopReason]}`;
  return `${sign(summary)} ${name} ${standing(summary)}${reason}`;
}

/** A name of any length would leave no room for the rest. */
const mostName = 200;

/** What a run took, in words: iterations, time, tokens and money. */
export function totals(summary: Summary): readonly string[] {
  return [
    count(summary.iterations, "iteration"),
    duration(summary.activeMs),
    tokens(summary.usage) === "" ? "" : `${tokens(summary.usage)} tokens`,
    money(summary.usage),
  ].filter((part) => part !== "");
}

/** How a loop of a run in this state stands, in words. */
export function loopStanding(loop: LoopSummary, run: Summary["state"]): string {
  // A person may have granted more than the file allows.
  const limit = loop.most === undefined ? undefined : Math.max(loop.most, loop.iterations);
  const most = limit === undefined ? "" : ` of ${loop.mode === "repeat" ? "at most " : ""}${limit}`;
  const rounds = loop.mode === "repeat" ? "iteration" : "item";
  const state = loop.stopReason ?? (loop.status === "running" && run === "paused" ? "paused" : loop.status);
  return `${loop.iterations}${most} ${rounds}${(limit ?? loop.iterations) === 1 ? "" : "s"}, ${state}`;
}

/** The same with at most so many loops, and so many rows in each. */
export function narrowedSummary(summary: Summary, loops: number, rows: number): Summary {
  const kept = narrowed(summary.loops, loops);
  const shorter = (loop: LoopSummary) => ({ ...loop, rows: narrowed(loop.rows, rows) });
  return { ...summary, loops: { ...kept, first: kept.first.map(shorter), last: kept.last.map(shorter) } };
}

const signs: Readonly<Record<Conclusion, string>> = {
  success: "✅",
  failure: "❌",
  paused: "⏸️",
  skipped: "⏭️",
  cancelled: "🛑",
};

const words: Readonly<Record<Conclusion, string>> = {
  success: "succeeded",
  failure: "failed",
  paused: "paused",
  skipped: "was skipped",
  cancelled: "was cancelled",
};

const stands = ({ state, conclusion }: Summary): Conclusion | undefined =>
  state === "paused" ? "paused" : state === "ended" ? (conclusion ?? "failure") : undefined;

function sign(summary: Summary): string {
  const stand = stands(summary);
  return stand === undefined ? "⏳" : signs[stand];
}

function standing(summary: Summary): string {
  const stand = stands(summary);
  return stand === undefined ? "is running" : words[stand];
}
