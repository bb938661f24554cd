import {
  hideCheckoutKeys,
  holdParts,
  type Limits,
  LostRunError,
  listenForStop,
  RunHeldError,
  type Session,
  StaleLogError,
  type Standing,
  type World,
} from "../../src/index.ts";
import { type Ending, lost, runEnding } from "../ending/ending.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { continueLater } from "./continuation.ts";
import { equip } from "./equip.ts";
import { openHearing } from "./hearing.ts";
import { type Keeping, runsOf } from "./keeping.ts";
import { endWhatIsLeft } from "./leftovers.ts";
import { watchPrograms } from "./path-watch.ts";
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
  await holdParts();
  const hearing = openHearing(job, stretch.before);
  const keys = { ...inputs["anthropic-api-key"], ...inputs["openai-api-key"], ...inputs["gemini-api-key"] };
  const agents = await equip({ names: stretch.agents, inputs }, job);
  const own = openWorld(job, { cwd, keeping, keys, hearing, agents, leaveOut: leaveOutOf(inputs, keeping) });
  const world = job.hosting?.watch(own) ?? own;
  const keysOfCheckout = keeping.repository && (await hideKeys(cwd, job));
  const changedPrograms = watchPrograms(job.env);
  const limit = listenForStop(inputs["max-minutes"] ?? usualMinutes);
  let fault: unknown;
  try {
    await job.log.undisturbed(() => stretch.drive(world, { timeLimit: limit.signal }));
  } catch (error) {
    fault = error;
  }
  limit.disarm();
  // What another job of this machine drives is not ours to end.
  const disturbed = !isLost(fault) && (await endWhatIsLeft({ run, keeping }, job));
  keysOfCheckout?.putBack();
  if (isLost(fault)) return lost(run, fault);
  if (fault !== undefined && hearing.told === 0) throw fault;
  sayPrograms(changedPrograms(), job);
  const ran = { summary: { ...hearing.summary, run }, output: hearing.output, cwd, fault };
  const stateRef = keeping.lasts ? keeping.store.where?.(run) : undefined;
  const later = limit.asked ? [] : await continueLater({ ...ran, keeping, inputs }, job);
  const where = { runs: runsOf(job), stateRef, file: keeping.file, site: job.hosting?.site };
  const ending = runEnding({ ...ran, ...where, more: later });
  return { ...ending, disturbed };
}

function sayPrograms(changed: readonly string[], job: Job): void {
  if (changed.length === 0) return;
  const more = changed.length > 5 ? ` and ${changed.length - 5} more` : "";
  const message = `programs that checks may have run are new or changed since the run began: ${changed.slice(0, 5).join(", ")}${more}`;
  job.log.annotate({ level: "notice", title: "until-green", message });
}

/** Whoever runs in the checkout could act as the job with what `actions/checkout` keeps there. */
async function hideKeys(cwd: string, job: Job) {
  if (job.env["UNTIL_GREEN_TRUST_CHECKOUT"] === "1") return undefined;
  const hidden = await hideCheckoutKeys(cwd);
  if (hidden.files.length > 0) job.log.annotate({ level: "notice", title: "until-green", message: keptKey });
  return hidden;
}

const keptKey =
  "the checkout keeps the job's token, with which an agent could push; it is taken out of git's settings while the run " +
  "is at work. Say `persist-credentials: false` at actions/checkout, or set UNTIL_GREEN_TRUST_CHECKOUT to 1 for checks that need it";

/** A job's token may not push workflow files, and would push nothing else then; a token that may is the user's. */
function leaveOutOf({ "allow-workflow-files": allowed, "push-token": token }: Inputs, { lasts }: Keeping) {
  return lasts && !(allowed && token !== undefined) ? [".github/workflows"] : [];
}

/** Less than the six hours a job may take: what comes after, and a check under way, need time too. */
const usualMinutes = 330;

const isLost = (error: unknown): error is Error =>
  error instanceof LostRunError || error instanceof RunHeldError || error instanceof StaleLogError;
