import type { LogEvent } from "../engine/log-events.ts";
import { messageOf } from "../ports/message-of.ts";
import type { RunStatus } from "../status/run-status.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import type { Tip } from "../stores/rest/tip.ts";
import { shortestWaitMs } from "./comment-replies.ts";
import { rulesOf } from "./config.ts";
import { dispatchJob, isAlive } from "./dispatch-job.ts";
import { belongsHere } from "./find-run.ts";
import { commandsOf } from "./pending-commands.ts";
import type { RepositoryContext } from "./repository-context.ts";
import { type EndedRun, endedRun, expiredRuns, removeExpired } from "./retention.ts";
import { showRun } from "./update-status.ts";

/** The results of a sweep. */
export interface Swept {
  readonly runs: number;
  /** Runs that had a decision but no job, or whose pause has ended. */
  readonly started: readonly string[];
  /** Comments whose command was not executed. */
  readonly answered: readonly number[];
  /** Runs whose job died without an end; offered to be resumed. */
  readonly dead: readonly string[];
  /** Runs whose record is gone; their comments were updated. */
  readonly tidied: readonly string[];
  /** Runs whose record was removed because its retention has expired. */
  readonly removed: readonly string[];
  /** Problems that could not be fixed, as sentences. */
  readonly faults: readonly string[];
}

export interface SweepOptions {
  /** How long a decision may wait for its job, in milliseconds. */
  readonly graceMs?: number;
  /** Limits the sweep to the run driven by this job. */
  readonly job?: number;
}

/** Checks every run of a repository and repairs the effects of lost webhooks, failed dispatches and dead jobs. */
export async function sweep(
  site: RepositoryContext,
  { graceMs = shortestWaitMs, job }: SweepOptions = {},
): Promise<Swept> {
  // Sweeps run after every job of the repository: one request suffices if the host lists all runs at once.
  const whole = job === undefined ? undefined : await site.survey();
  const { ids, tips } = whole === undefined ? await site.runs.readAll() : byRun(whole.tips);
  const swept: Progress = {
    runs: ids.length,
    started: [],
    answered: [],
    dead: [],
    tidied: [],
    removed: [],
    ended: [],
    faults: [],
  };
  const attempt = async (what: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      site.count("faults");
      swept.faults.push(`${what}: ${messageOf(error)}`);
    }
  };
  // Without a readable configuration, nothing is removed.
  const config = await site.config().catch(() => ({ "retention-days": "never" as const }));
  const sweeping = { graceMs, job, swept, hasLines: whole !== undefined };
  const sweepOne = (run: string) =>
    attempt(`run ${run}`, () => sweepRun(site, run, { ...sweeping, tip: tips.get(run) }));
  // A few at a time, because hosts limit concurrent requests.
  for (let at = 0; at < ids.length; at += atOnce) await Promise.all(ids.slice(at, at + atOnce).map(sweepOne));
  await attempt("records of runs that ended long ago", async () => {
    await removeExpired(site, expiredRuns(config, swept.ended, site.now()), swept.removed);
  });
  // After a single job, do not check everything.
  if (job !== undefined) return swept;
  await attempt("commands that nobody took up", async () => {
    const { answerMissed } = await import("./missed-comments.ts");
    swept.answered.push(...(await answerMissed(site, graceMs)));
  });
  await attempt("comments of runs that are gone", async () => {
    const { retireMissing } = await import("./retire-comments.ts");
    swept.tidied.push(...(await retireMissing(site, ids)));
  });
  return swept;
}

const atOnce = 4;

const byRun = (all: readonly Tip[]) => {
  const tips = new Map(all.map((tip) => [tip.run, tip]));
  return { ids: [...tips.keys()], tips };
};

/** The results so far. */
type Progress = { [K in keyof Swept]: Swept[K] extends readonly (infer T)[] ? T[] : Swept[K] } & {
  readonly ended: EndedRun[];
};

interface Sweeping {
  readonly graceMs: number;
  readonly job: number | undefined;
  /** The tip, if already known. */
  readonly tip: Tip | undefined;
  /** Whether that has its lines. */
  readonly hasLines: boolean;
  readonly swept: Progress;
}

async function sweepRun(
  site: RepositoryContext,
  run: string,
  { graceMs, job, swept, ...known }: Sweeping,
): Promise<void> {
  const { tip, status } = await readRun(site, run, known);
  if (tip === undefined || status === undefined || !(await belongsHere(site, status))) return;
  const ended = endedRun(tip, status);
  if (ended !== undefined) swept.ended.push(ended);
  if (job !== undefined && status.job?.run !== job) return;
  const command = commandsOf(tip).at(-1);
  const now = Date.parse(site.now());
  const { wakeAt } = status.summary;
  const isDue =
    (command !== undefined && now - Date.parse(command.at) >= graceMs) ||
    (wakeAt !== undefined && now >= Date.parse(wakeAt));
  if (status.summary.state === "paused" && isDue) await start(site, { run, status, command }, swept);
  else if (status.summary.state === "running" && !(await isAlive(site, status))) {
    swept.dead.push(run);
    await showRun(site, status, { note: deadNote(run) });
  } else if (job !== undefined) await showRun(site, status);
}

async function readRun(
  site: RepositoryContext,
  run: string,
  { tip: known, hasLines }: Pick<Sweeping, "tip" | "hasLines">,
) {
  const seen = parseRunStatus(known?.state["status"]);
  // People's words are in the lines, and matter only while the run waits.
  if (seen !== undefined && (hasLines || seen.summary.state !== "paused"))
    return { tip: known, status: seen };
  const { tip } = await site.look(run, { lines: true });
  return { tip, status: parseRunStatus(tip?.state["status"]) };
}

const deadNote = (run: string) =>
  `The job that drove this run ended before the run did. To resume it, comment \`/workflow resume ${run}\`.`;

interface Due {
  readonly run: string;
  readonly status: RunStatus;
  /** The last command of a person. */
  readonly command: LogEvent | undefined;
}

async function start(
  site: RepositoryContext,
  { run, status, command }: Due,
  swept: Sweeping["swept"],
): Promise<void> {
  const rules = rulesOf(await site.config(), status.summary.workflow);
  const comment = command !== undefined && "comment" in command ? command.comment : undefined;
  const dispatch = await dispatchJob(site, { run, rules, comment }, status);
  if (dispatch.how === "failed") swept.faults.push(`run ${run}: ${dispatch.because}`);
  else swept.started.push(run);
}
