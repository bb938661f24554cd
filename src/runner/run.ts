import type { RunFacts } from "../engine/event.ts";
import type { Session } from "../engine/session.ts";
import { agentsOf } from "../plan/agents.ts";
import type { Plan } from "../plan/plan.ts";
import { arrive } from "./arrive.ts";
import { type Leg, startLeg } from "./leg.ts";
import { beginRun, type OpenRun, openRun } from "./log.ts";
import { redact } from "./redact.ts";
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
  const chosen = openAgents(plan, { facts, world });
  return await holding(world, facts.run, async () => {
    const opened = await beginRun(world, {
      type: "run.started",
      at: world.clock.now(),
      v: 1,
      plan,
      facts: {
        ...facts,
        ...chosen,
        reserves: true,
        waits: true,
        message: redact(facts.message, world.secrets),
        inputs: redact(facts.inputs, world.secrets),
      },
    });
    return await drive(opened, world, limits);
  });
}

/** Goes on with a run from its log alone; throws `RunHeldError` while another process drives it. */
export async function resume(runId: string, world: World, limits: Limits = {}): Promise<Session> {
  return await holding(world, runId, async () => {
    const artifacts = await world.store.artifacts(runId);
    const opened = await openRun(world.store, runId, artifacts);
    // An end that a kill kept out of the log is still to be written there.
    if (opened.session.closed)
      throw new EndedRunError(`run ${runId} has ended; there is nothing to resume: begin a new run`);
    world.clearOrphans(artifacts);
    const before = opened.session.take();
    world.recall?.(before);
    await arrive(world, runId, opened.trail.commit);
    return await drive(opened, world, { ...limits, resumedAt: before.at(-1)?.seq ?? 0 });
  });
}

/** Sees that every agent is there; where somebody is to work whom nobody named, the one that is taken for it. */
function openAgents(
  plan: Plan,
  { facts, world }: { readonly facts: RunFacts; readonly world: World },
): Pick<RunFacts, "default_agent" | "default_judge"> {
  let chosen: string | undefined;
  for (const name of facts.agent === undefined ? agentsOf(plan) : [facts.agent]) {
    const agent = world.agent(name);
    if (name === undefined) chosen = agent.name;
  }
  if (chosen === undefined) return {};
  world.notice?.(`no agent was named: ${chosen} works, the first that is here with a key or a login`);
  // A model that somebody named is meant for the agent that works.
  const judge = (facts.model ?? plan.model) === undefined ? world.judge?.()?.name : undefined;
  return { default_agent: chosen, ...(judge === undefined ? {} : { default_judge: judge }) };
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
  { timeLimit, resumedAt }: Limits & { readonly resumedAt?: number },
): Promise<Session> {
  const artifacts = await world.store.artifacts(opened.session.facts.run);
  const leg = startLeg(opened, world, { artifacts, told: resumedAt ?? 0 });
  const poll = setInterval(leg.wake, pollMs);
  poll.unref();
  const onLimit = () => leg.wake();
  timeLimit?.addEventListener("abort", onLimit);
  try {
    const resumed = { type: "run.resumed", at: world.clock.now(), by: world.owner } as const;
    await leg.record(resumedAt === undefined ? [] : [resumed]);
    await goOn(leg, timeLimit);
    return leg.session;
  } finally {
    clearInterval(poll);
    timeLimit?.removeEventListener("abort", onLimit);
    await leg.abandon();
  }
}

async function goOn(leg: Leg, timeLimit: AbortSignal | undefined): Promise<void> {
  while (!leg.session.ended && !leg.session.resting) {
    if (timeLimit?.aborted || !leg.busy) {
      await leg.pause(timeLimit?.aborted ? "time-limit" : "gate");
      continue;
    }
    const facts = await leg.next();
    if (facts.length > 0) await leg.record(facts);
    else await leg.look();
  }
}
