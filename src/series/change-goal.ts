import type { GoalStore } from "../ports/goal-store.ts";
import { emptyRecord, type GoalRecord, readRecord } from "./record.ts";

interface Change {
  readonly goal: string;
  /** What changed, in a sentence. */
  readonly message: string;
  /** The new record; `undefined` keeps the old one. */
  change(record: GoalRecord): GoalRecord | undefined;
}

/** Reads the record of a goal; an empty one if there is none. */
export async function readGoal(store: GoalStore, goal: string): Promise<GoalRecord> {
  const kept = await store.read(goal);
  return kept === undefined ? emptyRecord(goal) : readRecord(kept.text, goal);
}

/** Changes the record of a goal by compare-and-swap: if somebody else wrote first, reads it again and retries. */
export async function changeGoal(store: GoalStore, { goal, message, change }: Change): Promise<GoalRecord> {
  for (let round = 1; round <= mostAttempts; round++) {
    const kept = await store.read(goal);
    const before = kept === undefined ? emptyRecord(goal) : readRecord(kept.text, goal);
    const next = change(before);
    if (next === undefined) return before;
    const text = `${JSON.stringify(next, undefined, 1)}\n`;
    if (await store.write(goal, { text, after: kept?.version, message })) return next;
  }
  throw new Error(
    `the record of the goal ${goal} was not written: too many other jobs write it at the same time`,
  );
}

const mostAttempts = 10;
