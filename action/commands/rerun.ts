import { runMarkdown, showRun } from "../../src/api/github.ts";
import {
  createRunProjection,
  decide,
  defined,
  extendRun,
  parseLogEvent,
  parseRunStatus,
  type RunStatus,
  runViewOf,
} from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { statusJob } from "../job/run-origin.ts";
import { annotation } from "../job/workflow-commands.ts";
import { templatesOf } from "../publish/pull-text.ts";
import type { StepResult } from "../result/step-result.ts";
import { type OpenedStore, openRunStore } from "../run/open-store.ts";

interface Rerun {
  readonly run: string;
  readonly inputs: Inputs;
  readonly cwd: string;
}

/**
 * Handles a re-run job whose earlier attempt started a run with the same `run-id`: resumes the run or, if it
 * succeeded, publishes it again. `undefined` if there is no such run.
 */
export async function rerunJob(
  { run, inputs, cwd }: Rerun,
  job: Job,
): Promise<StepResult | { readonly resumes: string } | undefined> {
  const ownJob = statusJob(job);
  if (inputs["dry-run"] || ownJob === undefined) return undefined;
  const keeping = await openRunStore({ run, cwd, inputs }, job);
  const status = parseRunStatus(await keeping.store.status?.(run));
  if (status?.job?.run !== ownJob.run || status.job.attempt >= ownJob.attempt) return undefined;
  const { summary } = status;
  if (summary.state !== "ended") return resumption(run, "continues", job);
  const earlier = { run, inputs, cwd, keeping, status };
  if (summary.conclusion === "success" || summary.conclusion === "skipped") return await again(earlier, job);
  await giveMore(earlier, job);
  return resumption(run, "gives more iterations to", job);
}

function resumption(run: string, how: string, job: Job): { readonly resumes: string } {
  say(`this re-run ${how} run ${run}, which an earlier attempt of this job started`, job);
  return { resumes: run };
}

const say = (message: string, job: Job) => job.log.annotate(annotation("notice", message, "re-run"));

interface Earlier extends Rerun {
  readonly keeping: OpenedStore;
  readonly status: RunStatus;
}

/** Re-running a job whose run used up its iterations grants more. */
async function giveMore({ run, keeping: { store }, status }: Earlier, job: Job): Promise<void> {
  // The next attempt must find the run's owner, even if this attempt fails early.
  const { statusOf } = createRunProjection({ before: status, job: status.job });
  const at = new Date().toISOString();
  const by = job.env["GITHUB_TRIGGERING_ACTOR"] || job.env["GITHUB_ACTOR"] || "until-green";
  const command = { kind: "retry", by, at, since: Date.parse(at), text: "" } as const;
  const refused = await extendRun({ store, statusOf }, run, (session) => {
    const decision = decide(runViewOf(session), command);
    return "record" in decision || "refused" in decision ? decision : { refused: "wrong", because: "" };
  });
  if (refused === undefined) return;
  throw new RefusedError(
    `this re-run cannot continue run ${run} of an earlier attempt: ${refused.because}. To start a new run when a job is re-run, omit \`run-id\` or put \`\${{ github.run_attempt }}\` into it`,
  );
}

/** The result of a successful run, published if requested: the earlier attempt may have failed to publish. */
async function again({ run, inputs, cwd, keeping, status }: Earlier, job: Job): Promise<StepResult> {
  const { summary } = status;
  say(`run ${run} of an earlier attempt of this job has succeeded, so no agent is called again`, job);
  await showAgain(status, inputs, job);
  const kept = defined({ stateRef: keeping.lasts ? keeping.store.where?.(run) : undefined });
  if (inputs.publish !== "none" && summary.conclusion === "success") {
    const [first = ""] = keeping.lines;
    const startEvent = parseLogEvent(first);
    const { plan, facts } = startEvent.type === "run.started" ? startEvent : {};
    const { series, origin } = facts ?? {};
    const notes = (series?.notes ?? "").split("\n").filter((line) => line !== "");
    const texts = { templates: templatesOf(inputs, plan?.series, origin?.issue), series, notes };
    const { publishRun } = await import("./publish-run.ts");
    return { ...(await publishRun({ inputs, cwd, texts }, job)), ...kept };
  }
  return {
    conclusion: summary.conclusion ?? "success",
    stopReason: summary.stopReason ?? "internal",
    page: runMarkdown(summary),
    annotations: [],
    summary,
    output: summary.output,
    cwd,
    ...kept,
  };
}

/** If the earlier attempt was lost just after the end of its run, the comment and check still show it as running. */
export async function showAgain(status: RunStatus, inputs: Inputs, job: Job): Promise<void> {
  const { siteOf } = await import("../github/issue-ops.ts");
  const site = siteOf(inputs, job);
  if (site === undefined || status.origin === undefined) return;
  const { pull, issue, head, ...origin } = status.origin;
  await showRun(site, {
    ...status,
    origin: {
      ...origin,
      ...(inputs.comment === "none" ? {} : { pull, issue }),
      ...(inputs["check-run"] === "false" ? {} : { head }),
    },
  });
}
