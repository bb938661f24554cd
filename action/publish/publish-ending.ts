import { dirname } from "node:path";
import { gitWorkspace, inMarkdown } from "../../src/index.ts";
import type { Ending } from "../ending/ending.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { finalWork } from "./final-work.ts";
import { type Heard, type Place, snapshotsOf } from "./place.ts";
import { type Published, publishWork } from "./publish.ts";
import type { PublishPlan } from "./publish-plan.ts";

interface Publication {
  readonly place: Place;
  /** Where the work of a workflow goes, `undefined` where it goes nowhere; throws where it must not go there. */
  plan(workflow: string): PublishPlan | undefined;
  readonly heard: Heard;
}

/** The same ending, with the work published as it asks for; a failure of that is the job's. */
export async function publishEnding(
  { place, plan: planFor, heard }: Publication,
  ending: Ending,
): Promise<Ending> {
  const { summary } = ending;
  const { github, base, inputs, site, job, restored, remote } = place;
  if (github === undefined || summary === undefined || remote === undefined) return ending;
  try {
    const plan = planFor(summary.workflow);
    if (plan === undefined || !isWorth(ending, plan)) return ending;
    if (heard.world?.gitWorkspace === undefined || base === undefined)
      throw new RefusedError(
        "there is nothing to publish from: check the repository out with actions/checkout",
      );
    const now = (await lastSnapshot(summary.run, heard.world.workspace, job)) ?? base;
    const gitDir = snapshotsOf(job, summary.run);
    const { checked, iterations } = heard;
    const { final, remark } = await finalWork({ gitDir, checked, now, disturbed: ending.disturbed === true });
    const work = { summary, gitDir, base, iterations, final };
    const published = await publishWork(work, { inputs, site, github, job, plan, remote, restored });
    if (published === undefined) return unchanged(ending, inputs["if-no-changes"]);
    const remarks = remark === undefined ? published.remarks : [...published.remarks, remark];
    return shown(ending, { ...published, remarks });
  } catch (error) {
    return unpublished(ending, error);
  }
}

/** The checkout as it is, workflow files and all: what of it is published, and what is said to be left out, is told later. */
async function lastSnapshot(runId: string, workspace: string, job: Job): Promise<string | undefined> {
  const { handle } = gitWorkspace({ privateDir: () => dirname(snapshotsOf(job, runId)) });
  const context = { runId, signal: new AbortController().signal, workspace };
  return (await handle({ op: "snapshot", since: undefined, message: "the workspace in the end" }, context))
    .commit;
}

/** A red run is worth a draft; nobody's pull request gets red work, nor work that people have refused. */
export function isWorth(
  { conclusion, stopReason }: Pick<Ending, "conclusion" | "stopReason">,
  { way }: Pick<PublishPlan, "way">,
): boolean {
  if (conclusion === "success") return true;
  if (way === "push" || stopReason === "rejected" || stopReason === "tampered") return false;
  return conclusion === "failure" || (conclusion === "paused" && stopReason === "gate");
}

/** The ending with what was published in its page and its outputs. */
export function shown(ending: Ending, published: Published): Ending {
  const { branch, commit, pull, remarks } = published;
  const where =
    pull === undefined ? `branch ${inMarkdown(branch)}` : `[pull request #${pull.number}](${pull.url})`;
  const lines = [
    `📬 Published to ${where} (${commit.slice(0, 12)}).`,
    ...remarks.map((each) => `> [!NOTE]\n> ${inMarkdown(each)}`),
  ];
  return {
    ...ending,
    published,
    page: [...lines, ending.page].join("\n\n"),
    annotations: [
      ...ending.annotations,
      ...remarks.map((message) => ({ level: "notice" as const, title: "until-green", message })),
    ],
  };
}

/** The ending of a run that left nothing to publish. */
export function unchanged(ending: Ending, then: "warn" | "fail" | "ignore"): Ending {
  if (then === "ignore" || ending.conclusion !== "success") return ending;
  const message = "The run has changed no file, so there is nothing to publish";
  const level = then === "fail" ? "error" : "warning";
  const noted = {
    ...ending,
    annotations: [...ending.annotations, { level, title: "until-green", message }] as const,
  };
  if (then === "warn") return { ...noted, page: `> [!WARNING]\n> ${message}.\n\n${ending.page}` };
  return {
    ...noted,
    conclusion: "failure",
    stopReason: "no-progress",
    page: `### ❌ ${message}\n\n${ending.page}`,
  };
}

/** The ending of a run whose work could not be published: it is kept, and the job is red. */
export function unpublished(ending: Ending, error: unknown): Ending {
  const message = `the work was not published: ${error instanceof Error ? error.message : String(error)}`;
  return {
    ...ending,
    conclusion: "failure",
    stopReason: ending.conclusion === "failure" ? ending.stopReason : "internal",
    page: `### ❌ ${inMarkdown(message)}\n\n${ending.page}`,
    annotations: [...ending.annotations, { level: "error", title: "until-green", message }],
  };
}
