import type { RunEvent } from "../engine/run-events.ts";
import { appendBounded, emptyBoundedList, shrink, toArray } from "./bounded-list.ts";
import { truncate } from "./format.ts";
import type { Decision, Summary } from "./run-status-schema.ts";
import { titleOf } from "./titles.ts";

export type { Decision };

const mostText = 2_000;

/** The summary with one more decision of a person. */
export const withDecision = (summary: Summary, decision: Decision): Summary => ({
  ...summary,
  decisions: appendBounded(summary.decisions ?? emptyBoundedList, {
    ...decision,
    text: truncate(decision.text, mostText),
  }),
});

/** Who cancelled a run; `undefined` if it ended in another way. */
export function cancellationIn({
  at,
  conclusion,
  because = "",
}: Extract<RunEvent, { readonly type: "run.ended" }>): Decision | undefined {
  const [, by, text = ""] = /^cancelled by (.+?)(?:: ([\s\S]*))?$/.exec(because) ?? [];
  return conclusion === "cancelled" && by !== undefined ? { at, decision: "cancel", by, text } : undefined;
}

/** A time for people: `2026-11-29 01:36 UTC`. */
export const whenText = (at: string) => `${at.slice(0, 16).replace("T", " ")} UTC`;

const verbs = { approve: "approved", reject: "rejected", cancel: "cancelled" } as const;

/** What people decided, each as a line: when, what, where, who, and their words. The last ones, if there are many. */
export function decisionTexts(
  { decisions = emptyBoundedList, loops }: Summary,
  most = 50,
): readonly string[] {
  const kept = shrink(decisions, most);
  const more = kept.left === 0 ? [] : [`… ${kept.left} more`];
  const lines = toArray(kept).map(({ at, decision, by, text, path }) => {
    const place = path === undefined ? "" : ` at ${titleOf(path, toArray(loops))}`;
    return `${whenText(at)}: ${verbs[decision]}${place} by ${by}${text === "" ? "" : `: ${text}`}`;
  });
  return [...lines, ...more];
}
