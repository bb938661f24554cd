import type { RunEvent } from "./event.ts";
import { type Session, startSession } from "./session.ts";

/** A log that does not begin with `run.started` is no run. */
export class EmptyLogError extends Error {
  override readonly name = "EmptyLogError";
}

/** Where a run stands, from its log alone: ended, or the needs it waits on. Pure. */
export function advance(log: Iterable<RunEvent>): Session {
  let session: Session | undefined;
  for (const event of log) {
    if (session !== undefined) session.feed(event);
    else if (event.type === "run.started") session = startSession(event);
    else break;
  }
  if (session === undefined) throw new EmptyLogError("the log does not begin with run.started");
  return session;
}
