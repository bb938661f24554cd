import type { Conclusion } from "../engine/run-events.ts";
import { shrink, toArray } from "./bounded-list.ts";
import { count, duration, money, reasonWords, shortened, tokens } from "./format.ts";
import type { LoopSummary } from "./loop-summary.ts";
import type { Summary } from "./run-summary.ts";
import { nounOf, titleOf } from "./titles.ts";

/** A run's state in one line: a symbol, its name and the reason. Plain text. */
export function headline(summary: Summary): string {
  const [gate] = summary.state === "paused" ? summary.gates : [];
  if (gate !== undefined) return `⏸️ Waiting for you · ${gatePlace(summary, gate.path)}`;
  const name = summary.workflow === "" ? "The run" : shortened(summary.workflow, mostName);
  return `${sign(summary)} ${name} ${stateText(summary)}${reasonText(summary)}`;
}

/** `fix-tests · fix · iteration 2 of 8`; without the workflow's name if its loop has the same one. */
function gatePlace({ workflow, loops }: Summary, path: string): string {
  const title = titleOf(path, toArray(loops));
  return title.startsWith(`${workflow} · `) ? title : `${shortened(workflow, mostName)} · ${title}`;
}

/** `: the check passed`; empty if the state says it already. */
export function reasonText({ stopReason, interrupted }: Pick<Summary, "stopReason" | "interrupted">): string {
  if (stopReason === undefined || stopReason === "cancelled") return "";
  return `: ${interrupted ? "interrupted; resume it to continue" : reasonWords[stopReason]}`;
}

/** Limits the name, because a check's title has at most 200 characters. */
const mostName = 100;

/** What a run cost, as text: iterations, time, tokens and money. */
export function totals(summary: Summary): readonly string[] {
  return [
    // An iteration counts once it has ended.
    summary.iterations === 0 ? "" : count(summary.iterations, "iteration"),
    duration(summary.activeMs),
    tokens(summary.usage) === "" ? "" : `${tokens(summary.usage)} tokens`,
    money(summary.usage),
    perTest(summary),
  ].filter((part) => part !== "");
}

/** `$0.12 and 40 s per fixed test`; empty if it fixed fewer than two, or cost nothing. */
function perTest({ loops, usage, activeMs }: Summary): string {
  const fixed = toArray(loops).reduce((all, { before, rows }) => {
    const last = toArray(rows).findLast((row) => row.failing !== undefined)?.failing;
    return all + Math.max(0, (before?.failing ?? 0) - (last ?? before?.failing ?? 0));
  }, 0);
  if (fixed < 2 || usage.cost_usd === 0) return "";
  return `${money({ ...usage, cost_usd: usage.cost_usd / fixed })} and ${duration(activeMs / fixed)} per fixed test`;
}

/** A loop's state in a run of this state, as text. */
export function loopStatus(loop: LoopSummary, run: Summary["state"]): string {
  // A person may have granted more iterations than the file allows.
  const limit = loop.most === undefined ? undefined : Math.max(loop.most, loop.iterations);
  const most = limit === undefined ? "" : ` of ${loop.mode === "repeat" ? "at most " : ""}${limit}`;
  const rounds = nounOf[loop.mode];
  const reason = loop.stopReason && loop.stopReason !== "cancelled" && reasonWords[loop.stopReason];
  const state = reason || (loop.status === "running" && run === "paused" ? "paused" : loop.status);
  return `${loop.iterations}${most} ${rounds}${(limit ?? loop.iterations) === 1 ? "" : "s"}, ${state}`;
}

/** The summary with at most this many loops, and rows in each. */
export function shrinkSummary(summary: Summary, loops: number, rows: number): Summary {
  const kept = shrink(summary.loops, loops);
  const shorter = (loop: LoopSummary) => ({ ...loop, rows: shrink(loop.rows, rows) });
  return { ...summary, loops: { ...kept, first: kept.first.map(shorter), last: kept.last.map(shorter) } };
}

const signs: Readonly<Record<Conclusion, string>> = {
  success: "✅",
  failure: "❌",
  paused: "⏸️",
  skipped: "⏭️",
  cancelled: "🛑",
};

const phrases: Readonly<Record<Conclusion, string>> = {
  success: "succeeded",
  failure: "failed",
  paused: "paused",
  skipped: "was skipped",
  cancelled: "was cancelled",
};

const settledState = ({ state, conclusion }: Summary): Conclusion | undefined =>
  state === "paused" ? "paused" : state === "ended" ? (conclusion ?? "failure") : undefined;

function sign(summary: Summary): string {
  const settled = settledState(summary);
  if (isToReview(summary)) return "👀";
  return settled === undefined ? "⏳" : signs[settled];
}

function stateText(summary: Summary): string {
  const settled = settledState(summary);
  if (isToReview(summary)) return "is green, to review";
  return settled === undefined ? "is running" : phrases[settled];
}

/** True if a run has ended like that. Before its end, its gate asks. */
export const isToReview = (summary: Summary): boolean =>
  summary.conclusion === "success" && needsReview(summary);

/** True if a run is green, but a person has to look at its work; the run may wait for that. */
export const needsReview = ({ review = [] }: Pick<Summary, "review">): boolean => review.length > 0;

/** The file or command behind an agent is not shown on pages. */
export const agentName = (agent: string) => agent.replace(/^(scripted|command):.*$/s, "$1");
