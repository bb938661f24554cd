import type { Session } from "../engine/session.ts";
import type { LogStore } from "../ports/store.ts";

/** Whether a run stands neither at its end nor at a pause, and no process drives it: it was killed. */
export async function isCutOff(store: LogStore, session: Session): Promise<boolean> {
  if (session.ended || session.resting || store.isHeld === undefined) return false;
  return !(await store.isHeld(session.facts.run));
}
