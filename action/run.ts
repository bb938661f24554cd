import { checkWorkflows } from "./check.ts";
import { messageSaid, obeyComment } from "./comment.ts";
import { type Ending, exitCodeOf, refusal } from "./ending.ts";
import { finish } from "./finish.ts";
import { openHosting } from "./hosting.ts";
import { type ReadInputs, readInputs } from "./inputs.ts";
import { type Job, openJob, RefusedError } from "./job.ts";
import { publishRun } from "./publish-run.ts";
import { resumeRun } from "./resume.ts";
import { guardRunnerFiles } from "./runner-files.ts";
import { sweepRuns } from "./sweep.ts";
import { runWorkflow } from "./workflow.ts";

/** Does what the inputs ask, says on every path how it ended, and answers the step's exit code. */
export async function runAction(
  json: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const read = readInputs(json);
  const job = openJob(env, read.secrets);
  const putBack = guardRunnerFiles(env);
  const ending = await endingOf(read, job);
  const changed = putBack();
  if (changed.length > 0) {
    const message = `something that ran here wrote into the runner's own files (${changed.join(", ")}); they are as they were before`;
    job.log.annotate({ level: "warning", title: "until-green", message });
  }
  await finish(ending, job);
  return exitCodeOf(ending);
}

async function endingOf(read: ReadInputs, job: Job): Promise<Ending> {
  try {
    if (!read.ok) throw new RefusedError(...read.faults);
    const { inputs } = read;
    if (inputs.command === "resume") return await resumeRun(inputs["run-id"] ?? "", inputs, job);
    if (inputs.command === "comment") return await obeyComment(inputs, job);
    if (inputs.command === "sweep") return await sweepRuns(inputs, job);
    const cwd = job.within(inputs["working-directory"] ?? ".");
    if (inputs.command === "check") return checkWorkflows(inputs, cwd, job);
    if (inputs.command === "publish") return await publishRun(inputs, cwd, job);
    const said = { ...inputs, ...(await messageSaid(inputs, job)) };
    const hosting = await openHosting({ inputs, cwd }, job);
    return await hosting.finish(await runWorkflow(said, cwd, { ...job, hosting }));
  } catch (error) {
    return refusal(error);
  }
}
