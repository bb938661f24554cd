import {
  EmptyLogError,
  EndedRunError,
  type LogStore,
  type Origin,
  type RunEvent,
  readEvent,
  readStanding,
  resume,
  type StandingJob,
} from "../src/index.ts";
import { conduct } from "./conduct.ts";
import { type Ending, lost } from "./ending.ts";
import { type Host, hostOf, type Said } from "./host.ts";
import { openHosting } from "./hosting.ts";
import type { Inputs } from "./inputs.ts";
import { type Job, RefusedError } from "./job.ts";
import { type Keeping, openKeeping } from "./keeping.ts";
import { standingJob } from "./origin.ts";

/** `command: resume`: goes on with a run in this job, wherever it was before, shows it and publishes its work. */
export async function resumeRun(runId: string, inputs: Inputs, job: Job): Promise<Ending> {
  const top = job.within(inputs["working-directory"] ?? ".");
  const hosting = job.hosting ?? (await openHosting(inputs, top, job));
  return await hosting.finish(await goOn({ runId, inputs, top }, { ...job, hosting }));
}

interface Stretch {
  readonly runId: string;
  readonly inputs: Inputs;
  /** The working directory of this job. */
  readonly top: string;
}

async function goOn({ runId, inputs, top }: Stretch, job: Job): Promise<Ending> {
  const keeping = await openKeeping({ run: runId, cwd: top, inputs }, job);
  if (keeping.lines.length === 0) throw unknown(runId, keeping);
  const host = hostOf(job, inputs);
  const driver = await driverOf(runId, keeping, job);
  if (driver !== undefined && (await host.isAlive?.(driver)))
    return lost(
      runId,
      new Error(`run ${runId} is driven by workflow run ${driver.run}, which is still at work`),
    );
  if (driver !== undefined) sayCutOff(driver, job);
  const store = provenStore(keeping.store, host, {
    workflow: workflowIn(keeping.lines),
    pull: originIn(keeping.lines)?.pull,
  });
  await store.read(runId);
  const folder = originIn(keeping.lines)?.folder;
  const cwd = top === job.workspace && folder !== undefined ? job.within(folder) : top;
  const drive = async (...[world, limits]: Parameters<Parameters<typeof conduct>[0]["drive"]>) => {
    try {
      return await resume(runId, world, limits);
    } catch (error) {
      if (error instanceof EndedRunError || error instanceof EmptyLogError)
        throw new RefusedError(error.message);
      throw error;
    }
  };
  return await conduct({ run: runId, inputs, cwd, keeping: { ...keeping, store }, drive }, job);
}

function unknown(runId: string, { lasts }: Keeping): RefusedError {
  const where = lasts ? "at this repository's host" : "on this runner";
  return new RefusedError(
    `there is no run ${runId} ${where}: check \`run-id\`; a run that its job could not keep is gone with that job`,
  );
}

/** The job that drove a run last, where it left it neither at rest nor at its end. */
async function driverOf(runId: string, { store }: Keeping, job: Job): Promise<StandingJob | undefined> {
  const standing = readStanding(await store.standing?.(runId));
  const driver = standing?.summary.state === "running" ? standing.job : undefined;
  const mine = standingJob(job);
  return driver?.run === mine?.run && driver?.attempt === mine?.attempt ? undefined : driver;
}

/** A machine that is gone took with it what it had not pushed yet. */
function sayCutOff(driver: StandingJob, job: Job): void {
  const message =
    `workflow run ${driver.run} ended in the middle of this run, without a word: ` +
    "what it did in its last seconds may be done once more";
  job.log.annotate({ level: "notice", title: "until-green", message });
}

/** The same store, in which nothing is read that people are on record to have said but did not. */
function provenStore(store: LogStore, { doubts }: Host, about: Pick<Said, "workflow" | "pull">): LogStore {
  if (doubts === undefined) return store;
  const proven = new Set<string>();
  /** Each comment is good for one line: said once, it decides one gate. */
  const spent = new Set<number>();
  return {
    ...store,
    async read(runId, after) {
      const lines = await store.read(runId, after);
      for (const line of lines) {
        if (!line.includes('"comment":') || proven.has(line)) continue;
        const said = saidIn(readEvent(line));
        if (said === undefined) continue;
        const doubt = spent.has(said.comment.id)
          ? `comment ${said.comment.id} is on record twice`
          : await doubts({ ...said, ...about, run: runId });
        if (doubt !== undefined)
          throw new RefusedError(
            `what ${said.by} is on record to have said to run ${runId} does not stand: ${doubt}`,
          );
        proven.add(line);
        spent.add(said.comment.id);
      }
      return lines;
    },
  };
}

function saidIn(event: RunEvent): Omit<Said, "run" | "workflow"> | undefined {
  const { type } = event;
  if (type !== "run.decided" && type !== "run.messaged" && type !== "run.cancelled") return undefined;
  if (event.comment === undefined) return undefined;
  const by = event.type === "run.messaged" ? event.from : event.by;
  const text = event.type === "run.cancelled" ? event.because : event.text;
  const decision = event.type === "run.decided" ? event.decision : undefined;
  return { type, decision, by, text, comment: event.comment };
}

function originIn([first = ""]: readonly string[]): Origin | undefined {
  const event = readEvent(first);
  return event.type === "run.started" ? event.facts.origin : undefined;
}

function workflowIn([first = ""]: readonly string[]): string | undefined {
  const event = readEvent(first);
  return event.type === "run.started" ? event.plan.name : undefined;
}
