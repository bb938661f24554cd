import {
  type Limits,
  LostRunError,
  listenForStop,
  RunHeldError,
  type Session,
  StaleLogError,
  type Standing,
  type World,
} from "../src/index.ts";
import { continueLater } from "./continuation.ts";
import { type Ending, lost, runEnding } from "./ending.ts";
import { equip } from "./equip.ts";
import { openHearing } from "./hearing.ts";
import type { Inputs } from "./inputs.ts";
import type { Job } from "./job.ts";
import { type Keeping, runsOf } from "./keeping.ts";
import { openWorld } from "./world.ts";

interface Stretch {
  readonly run: string;
  readonly inputs: Inputs;
  readonly cwd: string;
  readonly keeping: Keeping;
  /** The agents it asks for, by name; `undefined` is the one that is chosen. */
  readonly agents: Iterable<string | undefined>;
  /** Where it stood when this job came. */
  readonly before?: Standing | undefined;
  /** Begins the run, or goes on with it. */
  drive(world: World, limits: Limits): Promise<Session>;
}

/** Drives a run through this job's stretch of it; throws only what broke before anything was told. */
export async function conduct(stretch: Stretch, job: Job): Promise<Ending> {
  const { run, inputs, cwd, keeping } = stretch;
  const hearing = openHearing(job, stretch.before);
  const keys = { ...inputs["anthropic-api-key"], ...inputs["openai-api-key"], ...inputs["gemini-api-key"] };
  const agents = await equip({ names: stretch.agents, inputs }, job);
  const own = openWorld(job, { cwd, keeping, keys, hearing, agents, leaveOut: leaveOutOf(inputs, keeping) });
  const world = job.hosting?.watch(own) ?? own;
  const limit = listenForStop(inputs["max-minutes"] ?? usualMinutes);
  let fault: unknown;
  try {
    await job.log.undisturbed(() => stretch.drive(world, { timeLimit: limit.signal }));
  } catch (error) {
    if (isLost(error)) return lost(run, error);
    if (hearing.told === 0) throw error;
    fault = error;
  } finally {
    limit.disarm();
  }
  const ran = { summary: { ...hearing.summary, run }, output: hearing.output, cwd, fault };
  const stateRef = keeping.lasts ? keeping.store.where?.(run) : undefined;
  const later = limit.asked ? [] : await continueLater({ ...ran, keeping, inputs }, job);
  const where = { runs: runsOf(job), stateRef, file: keeping.file, site: job.hosting?.site };
  return runEnding({ ...ran, ...where, more: later });
}

/** A job's token may not push workflow files, and would push nothing else then; a token that may is the user's. */
function leaveOutOf({ "allow-workflow-files": allowed, "push-token": token }: Inputs, { lasts }: Keeping) {
  return lasts && !(allowed && token !== undefined) ? [".github/workflows"] : [];
}

/** Less than the six hours a job may take: what comes after, and a check under way, need time too. */
const usualMinutes = 330;

const isLost = (error: unknown): error is Error =>
  error instanceof LostRunError || error instanceof RunHeldError || error instanceof StaleLogError;
