import type { RunFacts } from "../engine/event.ts";
import type { Session } from "../engine/session.ts";
import { agentsOf } from "../plan/agents.ts";
import type { Plan } from "../plan/plan.ts";
import { arrive } from "./arrive.ts";
import { type Leg, startLeg } from "./leg.ts";
import { beginRun, type OpenRun, openRun } from "./log.ts";
import type { World } from "./world.ts";

/** When to stop early: the run is checkpointed as paused and can be resumed. */
export interface Limits {
  readonly timeLimit?: AbortSignal;
}

/** The run has ended; there is nothing to resume. */
export class EndedRunError extends Error {
  override readonly name = "EndedRunError";
}

/** Begins a run and drives it to its first pause or its end. */
export async function start(
  { plan, facts }: { readonly plan: Plan; readonly facts: RunFacts },
  world: World,
  limits: Limits = {},
): Promise<Session> {
  // First see that everybody is there, then begin, then spend.
  for (const name of facts.agent === undefined ? agentsOf(plan) : [facts.agent]) world.agent(name);
  return await holding(world, facts.run, async () => {
    const opened = await beginRun(world.store, {
      type: "run.started",
      at: world.clock.now(),
      v: 1,
      plan,
      facts,
    });
    return await drive(opened, world, { ...limits, resumed: false });
  });
}

/** Goes on with a run from its log alone; throws `RunHeldError` while another process drives it. */
export async function resume(runId: string, world: World, limits: Limits = {}): Promise<Session> {
  return await holding(world, runId, async () => {
    world.clearOrphans(runId);
    const opened = await openRun(world.store, runId, await world.store.artifacts(runId));
    if (opened.session.ended)
      throw new EndedRunError(`run ${runId} has ended; there is nothing to resume: begin a new run`);
    const before = opened.session.take();
    world.recall?.(before);
    await arrive(world, runId, opened.trail.commit);
    return await drive(opened, world, { ...limits, resumed: true });
  });
}

async function holding<T>(world: World, runId: string, work: () => Promise<T>): Promise<T> {
  const release = await world.store.hold(runId);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** How often a run at work looks for what others wrote into its log: a cancel must not wait for the agent. */
const pollMs = 1_000;

async function drive(
  opened: OpenRun,
  world: World,
  { timeLimit, resumed }: Limits & { readonly resumed: boolean },
): Promise<Session> {
  const leg = startLeg(opened, world, await world.store.artifacts(opened.session.facts.run));
  const poll = setInterval(leg.wake, pollMs);
  poll.unref();
  const onLimit = () => leg.wake();
  timeLimit?.addEventListener("abort", onLimit);
  try {
    await leg.record(resumed ? [{ type: "run.resumed", at: world.clock.now(), by: world.owner }] : []);
    await goOn(leg, world, timeLimit);
    return leg.session;
  } finally {
    clearInterval(poll);
    timeLimit?.removeEventListener("abort", onLimit);
    await leg.abandon();
  }
}

async function goOn(leg: Leg, world: World, timeLimit: AbortSignal | undefined): Promise<void> {
  while (!leg.session.ended) {
    if (timeLimit?.aborted) {
      await leg.abandon();
      return await leg.record([{ type: "run.paused", at: world.clock.now(), stop_reason: "time-limit" }]);
    }
    if (!leg.busy) {
      await leg.record([{ type: "run.paused", at: world.clock.now(), stop_reason: "gate" }]);
      if (!leg.busy) return;
    }
    const facts = await leg.next();
    if (facts.length > 0) await leg.record(facts);
    else await leg.look();
  }
}
