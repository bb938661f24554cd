import { type Ending, exitCodeOf, refusal } from "./ending/ending.ts";
import { finish } from "./ending/finish.ts";
import { openHosting } from "./hosting/hosting.ts";
import { messageSaid } from "./hosting/said.ts";
import { type Inputs, type ReadInputs, readInputs } from "./inputs/inputs.ts";
import { type Job, openJob, RefusedError } from "./job/job.ts";
import { guardRunnerFiles } from "./job/runner-files.ts";

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
    return await commands[read.inputs.command](read.inputs, job);
  } catch (error) {
    return refusal(error);
  }
}

/** Each loads what it takes and no more. */
const commands: Readonly<Record<Inputs["command"], (inputs: Inputs, job: Job) => Promise<Ending>>> = {
  async run(inputs, job) {
    const { runWorkflow } = await import("./commands/workflow.ts");
    const cwd = cwdOf(inputs, job);
    const said = { ...inputs, ...(await messageSaid(inputs, job)) };
    const hosting = await openHosting({ inputs, cwd }, job);
    return await hosting.finish(await runWorkflow(said, cwd, { ...job, hosting }));
  },
  async resume(inputs, job) {
    const { resumeRun } = await import("./commands/resume.ts");
    return await resumeRun(inputs["run-id"] ?? "", inputs, job);
  },
  async check(inputs, job) {
    const { checkWorkflows } = await import("./commands/check.ts");
    return await checkWorkflows(inputs, cwdOf(inputs, job), job);
  },
  async publish(inputs, job) {
    const { publishRun } = await import("./commands/publish-run.ts");
    return await publishRun(inputs, cwdOf(inputs, job), job);
  },
  async comment(inputs, job) {
    const { obeyComment } = await import("./commands/comment.ts");
    return await obeyComment(inputs, job);
  },
  async sweep(inputs, job) {
    const { sweepRuns } = await import("./commands/sweep.ts");
    return await sweepRuns(inputs, job);
  },
};

const cwdOf = (inputs: Inputs, job: Job) => job.within(inputs["working-directory"] ?? ".");
