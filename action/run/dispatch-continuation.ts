import { continuations, messageOf, type Summary, truncate } from "../../src/api/runs.ts";
import { hostOf } from "../github/host.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { homeBranch, originOf } from "../job/run-origin.ts";
import { type Annotation, annotation } from "../job/workflow-commands.ts";
import type { OpenedStore } from "./open-store.ts";

interface PausedRun {
  readonly summary: Summary;
  readonly cwd: string;
  readonly fault: unknown;
  readonly keeping: OpenedStore;
  readonly inputs: Inputs;
}

/** Maximum jobs in a row without a person's decision. */
const mostContinuations = 20;

/** If a run paused only because its time was up, dispatches the next job, or explains what is missing for that. */
export async function continueLater(rested: PausedRun, job: Job): Promise<readonly Annotation[]> {
  const { summary, fault, keeping } = rested;
  if (fault !== undefined || summary.state !== "paused" || summary.stopReason !== "time-limit") return [];
  if (!keeping.lasts || keeping.file !== undefined) return [];
  const started = await start(rested, job);
  return [annotation(started.level, started.message, "to be continued")];
}

async function start(
  { summary: { run }, cwd, keeping, inputs }: PausedRun,
  job: Job,
): Promise<Pick<Annotation, "level" | "message">> {
  const byHand = `resume run ${run} manually: \`command: resume\` with \`run-id: ${run}\``;
  const count = continuations(await keeping.store.read(run));
  if (count > mostContinuations)
    return warning(`${count} jobs in a row ran out of time on this run, so no more are started; ${byHand}`);
  const workflow = originOf(job, cwd)?.workflow;
  const { wake } = hostOf(job, inputs);
  if (wake === undefined || workflow === undefined)
    return warning(
      `this run is not resumed automatically: set \`github-token\` and \`permissions: actions: write\`, or ${byHand}`,
    );
  try {
    const ref = homeBranch(job);
    await wake(workflow, { ref, inputs: { "run-id": run } });
    return { level: "notice", message: `${workflow} on ${ref} was started to resume run ${run}` };
  } catch (error) {
    const reason = truncate(messageOf(error), 500);
    return warning(`no job was started to resume this run, ${reason}; fix that, or ${byHand}`);
  }
}

const warning = (message: string) => ({ level: "warning" as const, message });
