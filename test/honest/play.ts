import { bareRuns, type Events, eventsOf, type Played, starterLoop } from "../forgeries/loop.ts";
import { isThere } from "../forgeries/projects.ts";
import type { Case } from "./case.ts";

/** How a loop ended over a case; `asked` is green that a person has to accept. */
export type Verdict = "green" | "asked" | "refused";

/** A case that was played. */
export interface Result {
  readonly verdict: Verdict;
  /** What the loop said against it. */
  readonly because: string;
}

const baseline = "      check: { baseline: true, timeout: 10m }\n";

function playedOf({ files, check, keys, prepare, tools }: Case): Played {
  const text = starterLoop(check, 2);
  if (!text.includes(baseline)) throw new Error("the starter's loop has another check");
  const lines = keys === undefined ? baseline : keys.replaceAll(/^(?=.)/gm, "      ").concat("\n");
  return { files, loop: text.replace(baseline, lines), prepare, tools };
}

/** Green is green at once: another iteration is one that somebody pays. */
export function verdictOf({ events, err }: Events): Verdict {
  const end = events.find(({ type }) => type === "run.ended");
  if (end === undefined) {
    if (events.some(({ type }) => type === "gate.opened")) return "asked";
    throw new Error(`the run did not end: ${err}`);
  }
  if (end.conclusion !== "success") return "refused";
  if ((end.review ?? []).length > 0) return "asked";
  return end.iterations === 1 ? "green" : "refused";
}

/** Plays the loop over a case. */
export async function play(one: Case): Promise<Result> {
  const played = await eventsOf(playedOf(one), one.agent);
  const tested = played.events.filter(({ type }) => type === "stop.tested").map(({ because }) => because);
  const end = played.events.find(({ type }) => type === "run.ended");
  return {
    verdict: verdictOf(played),
    because: [...tested, end?.stop_reason, end?.because].filter((text) => text !== undefined).join("; "),
  };
}

/** Whether the check, called without a loop, is red before the work and green after it. */
export async function isFixedBy(one: Case): Promise<string> {
  const [before = 1, , after = 1] = await bareRuns(playedOf(one), [one.check, one.agent, one.check]);
  return before !== 0 && after === 0 ? "" : `the check ends with ${before} before and ${after} after`;
}

const found = new Map<string, boolean>();

/** Whether the program of a case can be run here. */
export function canPlay({ needs }: Case): boolean {
  const known = found.get(needs) ?? (needs === "bash" || isThere(needs));
  found.set(needs, known);
  return known;
}

/** Does something with all of them, so many at a time. */
export async function each<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>) {
  const left = all.values();
  const worker = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
