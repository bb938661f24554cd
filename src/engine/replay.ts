import type { Plan } from "../plan/plan.ts";
import { type LogEvent, LogMismatchError } from "./log-events.ts";
import { type RunSession, startSession } from "./session.ts";

/** A log must begin with `run.started`. */
export class EmptyLogError extends Error {
  override readonly name = "EmptyLogError";
}

/** Rebuilds a session from a log: ended, or with the effects it waits for. Pure. */
export function replay(log: Iterable<LogEvent>): RunSession {
  const events = [...log];
  const grants = events.flatMap((event) => (event.type === "run.extended" ? [event.iterations] : []));
  // Grants that the run could not use are ignored.
  for (let taken = grants.length; taken > 0; taken--) {
    const session = tryReplay(events, grants.slice(0, taken));
    if (session !== undefined) return session;
  }
  return replayWith(events, []);
}

/** How many more iterations each extension grants; `undefined`: as many as the file allows. */
type Grants = readonly (number | undefined)[];

function tryReplay(events: readonly LogEvent[], grants: Grants): RunSession | undefined {
  try {
    return replayWith(events, grants);
  } catch (error) {
    // Another event follows the end of the loop, so the loop cannot continue.
    if (error instanceof LogMismatchError) return undefined;
    throw error;
  }
}

function replayWith([first, ...events]: readonly LogEvent[], grants: Grants): RunSession {
  if (first?.type !== "run.started") throw new EmptyLogError("the log does not begin with run.started");
  const session = startSession({ ...first, plan: withIterations(first.plan, grants) });
  for (const event of events) session.apply(event);
  return session;
}

/** The plan with more iterations for its top-level loops; nested loops keep their limit. */
function withIterations(plan: Plan, grants: Grants): Plan {
  if (grants.length === 0) return plan;
  const nodes = plan.body.nodes.map((node) =>
    node.kind === "loop"
      ? { ...node, max: grants.reduce<number>((max, more) => max + (more ?? node.max), node.max) }
      : node,
  );
  return { ...plan, body: { ...plan.body, nodes } };
}
