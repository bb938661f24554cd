import type { Session } from "../engine/session.ts";
import type { LogStore } from "../ports/store.ts";
import type { Summary } from "../report/summary.ts";

/** Why somebody should go on with a run, in words: no process drives it, and it waits for nobody. */
export async function whyResume(
  store: LogStore,
  session: Session,
  { stopReason, gates }: Summary,
): Promise<string | undefined> {
  const isAnswered = session.resting && stopReason === "gate" && gates.length === 0;
  if (session.ended || (session.resting && !isAnswered) || store.isHeld === undefined) return undefined;
  if (await store.isHeld(session.facts.run)) return undefined;
  return isAnswered ? "it was answered, and no process went on with it" : "its process was killed";
}
