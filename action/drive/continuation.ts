import { continuations, cut, type Summary } from "../../src/index.ts";
import { hostOf } from "../hosting/asking.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { homeBranch, originOf } from "../job/origin.ts";
import type { Annotation } from "../job/runner-log.ts";
import type { Keeping } from "./keeping.ts";

interface Rested {
  readonly summary: Summary;
  readonly cwd: string;
  readonly fault: unknown;
  readonly keeping: Keeping;
  readonly inputs: Inputs;
}

/** So many jobs may follow each other without a person having a look. */
const mostContinuations = 20;

/** Where a run rests only because its time was up: starts the job that goes on with it, or says what that would need. */
export async function continueLater(rested: Rested, job: Job): Promise<readonly Annotation[]> {
  const { summary, fault, keeping } = rested;
  if (fault !== undefined || summary.state !== "paused" || summary.stopReason !== "time-limit") return [];
  if (!keeping.lasts || keeping.file !== undefined) return [];
  const said = await start(rested, job);
  return [{ ...said, title: "until-green: to be continued" }];
}

async function start({ summary: { run }, cwd, keeping, inputs }: Rested, job: Job): Promise<Annotation> {
  const byHand = `go on with run ${run} by hand: \`command: resume\` with \`run-id: ${run}\``;
  const count = continuations(await keeping.store.read(run));
  if (count > mostContinuations)
    return warning(
      `${count} jobs in a row ran out of time with this run, and no more are started; ${byHand}`,
    );
  const workflow = originOf(job, cwd)?.workflow;
  const { wake } = hostOf(job, inputs);
  if (wake === undefined || workflow === undefined)
    return warning(
      `nobody goes on with this run: give \`github-token\` and \`permissions: actions: write\`, or ${byHand}`,
    );
  try {
    const ref = homeBranch(job);
    await wake(workflow, { ref, inputs: { "run-id": run } });
    return { level: "notice", message: `${workflow} on ${ref} was started to go on with run ${run}` };
  } catch (error) {
    const because = cut(error instanceof Error ? error.message : String(error), 500);
    return warning(`no job was started to go on with this run, ${because}; mend that, or ${byHand}`);
  }
}

const warning = (message: string): Annotation => ({ level: "warning", message });
