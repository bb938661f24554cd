import type { RunSession } from "../engine/session.ts";
import type { LogStore } from "../ports/store.ts";
import type { Summary } from "../status/run-summary.ts";

/** Paused, and waiting for nobody. */
export const isInterrupted = ({ state, gates }: Summary) => state === "paused" && gates.length === 0;

/** Why a run should be resumed, as a sentence: no process drives it, and it does not wait for a person. */
export async function whyResume(
  store: LogStore,
  session: RunSession,
  { stopReason, gates }: Summary,
): Promise<string | undefined> {
  const isAnswered = session.paused && stopReason === "gate" && gates.length === 0;
  if (session.ended || (session.paused && !isAnswered)) return undefined;
  // Another machine may drive a run at a git host, but its resume is recorded before anything else.
  const isHeld = store.isHeld === undefined ? !isAnswered : await store.isHeld(session.facts.run);
  if (isHeld) return undefined;
  return isAnswered ? "it was answered, but no process has resumed it" : "its process ended early";
}

/** A run that no process drives is shown as paused. */
export const asShown = (summary: Summary, why: string | undefined): Summary =>
  why === undefined || summary.state !== "running" ? summary : { ...summary, state: "paused" };
