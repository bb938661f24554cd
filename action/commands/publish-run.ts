import { page, type Standing } from "../../src/index.ts";
import { annotationsOf, type Ending } from "../ending/ending.ts";
import { openClient, planOf } from "../hosting/hosting.ts";
import { prepareGround, refuseFork } from "../hosting/preflight.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import { readSite } from "../job/site.ts";
import { branchesOf } from "../publish/place.ts";
import { type PublishSetting, publishWork } from "../publish/publish.ts";
import { isWorth, shown, unchanged } from "../publish/publish-ending.ts";
import { joinRuns } from "./join.ts";
import { bringWork, findKept } from "./kept-run.ts";

/** `command: publish`: publishes what runs of other jobs have done; runs no agent, and no code of the repository. */
export async function publishRun(given: Inputs, cwd: string, job: Job): Promise<Ending> {
  const inputs: Inputs = { ...given, publish: given.publish === "none" ? "branch" : given.publish };
  const site = readSite(job);
  if (site === undefined)
    throw new RefusedError("`command: publish` publishes on GitHub: run it in a job there");
  refuseFork(site, site.fork);
  const github = await openClient(inputs, site);
  const { defaultBranch, pull } = await prepareGround(inputs, site, github);
  if (github === undefined)
    throw new RefusedError("`command: publish` needs a token: leave `github-token` out");
  const here = { ...site, pull };
  const settingFor = async (workflow: string): Promise<PublishSetting | undefined> => {
    const plan = planOf({ inputs, site: here, job }, { workflow, defaultBranch });
    if (plan === undefined) return undefined;
    const token = inputs["push-token"] ?? inputs["github-token"];
    const remote = await branchesOf({ site: here, job, cwd }, token);
    return { inputs, site: here, github, job, plan, remote, restored: [] };
  };
  const names = [...new Set((inputs["run-id"] ?? "").split(" "))];
  const [one = ""] = names;
  if (inputs.items === undefined && names.length === 1)
    return await publishOne({ run: one, inputs, cwd, settingFor }, job);
  return await joinRuns({ names, inputs, cwd, settingFor }, job);
}

interface One {
  readonly run: string;
  readonly inputs: Inputs;
  readonly cwd: string;
  settingFor(workflow: string): Promise<PublishSetting | undefined>;
}

async function publishOne({ run, inputs, cwd, settingFor }: One, job: Job): Promise<Ending> {
  const kept = await findKept({ run, cwd, inputs }, job);
  const ending = endingOf(kept.standing);
  const setting = await settingFor(kept.standing.summary.workflow);
  if (setting === undefined || !isWorth(ending, setting.plan)) return unfit(ending);
  if (kept.standing.work === undefined) return unchanged(ending, inputs["if-no-changes"]);
  const published = await publishWork(await bringWork(kept, { cwd, job }), setting);
  return published === undefined ? unchanged(ending, inputs["if-no-changes"]) : shown(ending, published);
}

/** The run's own ending: work that is red stays so, whoever publishes it. */
function endingOf({ summary }: Standing): Ending {
  const conclusion = summary.state === "paused" ? "paused" : (summary.conclusion ?? "failure");
  return {
    conclusion,
    stopReason: summary.stopReason ?? "internal",
    page: page(summary),
    annotations: annotationsOf(conclusion, summary),
    summary,
    output: summary.output,
  };
}

function unfit(ending: Ending): Ending {
  const message = `nothing is published of a run that ended as ${ending.conclusion} (${ending.stopReason})`;
  return {
    ...ending,
    page: `> [!WARNING]\n> **Not published:** ${message}.\n\n${ending.page}`,
    annotations: [...ending.annotations, { level: "warning", title: "until-green", message }],
  };
}
