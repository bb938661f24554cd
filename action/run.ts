import { endSignal } from "../src/api/runs.ts";
import { messageFromComment } from "./github/comment-message.ts";
import { openGitHubLifecycle } from "./github/github-lifecycle.ts";
import { type Inputs, type ReadInputs, readInputs } from "./inputs/inputs.ts";
import { guardRunnerFiles } from "./job/guard-runner-files.ts";
import { type Job, NothingToDoError, openJob, RefusedError } from "./job/job.ts";
import { isRerun } from "./job/run-origin.ts";
import { annotation } from "./job/workflow-commands.ts";
import { reportResult } from "./result/report-result.ts";
import {
  exitCodeOf,
  leftToOther,
  nothingToDo,
  passedOver,
  refusal,
  type StepResult,
} from "./result/step-result.ts";

/** Executes the command, reports the result on every path, and returns the step's exit code. */
export async function runAction(
  json: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const read = readInputs(json);
  const job = openJob(env, read.secrets);
  const files = guardRunnerFiles(env);
  const ending = await Promise.race([endingOf(read, job), cutOff()]);
  const changed = files.restore();
  if (changed.length > 0) {
    const message = `a process of this run wrote into the runner's own files (${changed.join(", ")}), which were restored`;
    job.log.annotate(annotation("warning", message));
  }
  await reportResult(ending, job, files);
  // Last: the runner reads them as soon as this process has ended.
  process.once("exit", () => files.restore());
  return exitCodeOf(ending);
}

async function endingOf(read: ReadInputs, job: Job): Promise<StepResult> {
  try {
    if (!read.ok) throw new RefusedError(...read.faults);
    return await commands[read.inputs.command](read.inputs, job);
  } catch (error) {
    return error instanceof NothingToDoError ? nothingToDo(error) : refusal(error);
  }
}

/** A cancelled job is killed soon: slow hosts or disks must not cost it its outputs. */
function cutOff(): Promise<StepResult> {
  const result = refusal(new RefusedError(cutOffText));
  return new Promise((resolve) => {
    endSignal.addEventListener("abort", () => void setTimeout(resolve, 1_000, result).unref(), {
      once: true,
    });
  });
}

const cutOffText =
  "the job was cancelled, and ended while an operation was still pending: everything recorded is kept, and `command: resume` continues the run";

/** Loaded on demand. */
const commands: Readonly<Record<Inputs["command"], (inputs: Inputs, job: Job) => Promise<StepResult>>> = {
  async run(inputs, job) {
    const cwd = cwdOf(inputs, job);
    if (job.env["GITHUB_EVENT_NAME"] === "issues") {
      const { mayNotStart } = await import("./github/issue-start.ts");
      const reason = await mayNotStart(inputs, job);
      if (reason !== undefined) return passedOver(reason);
    }
    const { "run-id": run } = inputs;
    if (run !== undefined && isRerun(job)) {
      const { rerunJob } = await import("./commands/rerun.ts");
      const earlier = await rerunJob({ run, inputs, cwd }, job);
      if (earlier !== undefined && !("resumes" in earlier)) return earlier;
      if (earlier !== undefined) return await commands.resume({ ...inputs, "run-id": earlier.resumes }, job);
    }
    const { runWorkflow } = await import("./commands/run-workflow.ts");
    const inputsWithMessage = { ...inputs, ...(await messageFromComment(inputs, job)) };
    const hosting = await openGitHubLifecycle({ inputs, cwd }, job);
    const result = await runWorkflow(inputsWithMessage, cwd, { ...job, hosting });
    if ("resumes" in result) {
      const ending = await commands.resume({ ...inputs, "run-id": result.resumes }, job);
      return ending.lost === true ? leftToOther(result.resumes) : ending;
    }
    return await hosting.finish(result);
  },
  async resume(inputs, job) {
    const { resumeRun } = await import("./commands/resume.ts");
    return await resumeRun(inputs["run-id"] ?? "", inputs, job);
  },
  async check(inputs, job) {
    const { checkWorkflows } = await import("./commands/check.ts");
    return await checkWorkflows(inputs, cwdOf(inputs, job), job);
  },
  async plan(inputs, job) {
    const { planJobs } = await import("./commands/plan-jobs.ts");
    return await planJobs(inputs, cwdOf(inputs, job), job);
  },
  async publish(inputs, job) {
    const { publishRun } = await import("./commands/publish-run.ts");
    return await publishRun({ inputs, cwd: cwdOf(inputs, job) }, job);
  },
  async comment(inputs, job) {
    const { handleComment } = await import("./commands/comment.ts");
    return await handleComment(inputs, job);
  },
  async sweep(inputs, job) {
    const { sweepRuns } = await import("./commands/sweep.ts");
    return await sweepRuns(inputs, job);
  },
};

const cwdOf = (inputs: Inputs, job: Job) => job.within(inputs["working-directory"] ?? ".");
