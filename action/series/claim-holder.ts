import { apiOf, type GitHub, loadGitHub } from "../../src/api/github.ts";
import { changeGoal, type GoalRecord, type Holder, readGoal } from "../../src/api/publishing.ts";
import type { RunStatus } from "../../src/api/runs.ts";
import type { Job, Starting } from "../job/job.ts";
import { statusJob } from "../job/run-origin.ts";

interface HolderContext extends Pick<Starting, "statusOf"> {
  readonly github: GitHub;
}

type Claim = NonNullable<GoalRecord["claim"]>;

/** The state of the run that holds a claim. */
export interface Claimant {
  /** Whether it still works on the goal: in a running job, or paused until another job resumes it. */
  readonly holder: Holder | undefined;
  readonly status: RunStatus | undefined;
}

export async function readClaimant(claim: Claim, asking: HolderContext): Promise<Claimant> {
  const { isRunAlive } = await loadGitHub();
  const { run, job, at } = claim;
  const isAlive = job === undefined ? false : await isRunAlive(asking.github, job);
  if (isAlive === true) return { holder: { run, state: "running" }, status: undefined };
  const status = await asking.statusOf(run);
  const { state = "running" } = status?.summary ?? {};
  if (isAlive === undefined && state === "running" && Date.now() - Date.parse(at) < longestJobMs)
    return { holder: { run, state: "running" }, status };
  return { holder: await holderBy(claim, status, asking.github), status };
}

/** GitHub ends a hosted job after six hours, which is what counts where it does not show its jobs. */
const longestJobMs = 6 * 60 * 60_000;

async function holderBy(
  { run, job }: Claim,
  status: RunStatus | undefined,
  github: GitHub,
): Promise<Holder | undefined> {
  const { isRunAlive } = await loadGitHub();
  const { summary, job: driver } = status ?? {};
  if (summary === undefined || summary.state === "ended") return undefined;
  if (summary.state === "running")
    return driver !== undefined && driver.run !== job?.run && (await isRunAlive(github, driver)) === true
      ? { run, state: "running" }
      : undefined;
  // The latest question counts, even if it is an old one shown again.
  const askingSince = status?.gates
    .map(({ since }) => since)
    .toSorted()
    .at(-1);
  const isHeld = summary.stopReason === "requested";
  return { run, state: "paused", askingSince, wakeAt: summary.wakeAt, isHeld };
}

/** The claim of a run that works in this job. */
export function claimOf(run: string, job: Job): Claim {
  const driver = statusJob(job);
  return { run, at: new Date().toISOString(), ...(driver === undefined ? {} : { job: driver }) };
}

interface ClaimingAgain extends HolderContext {
  readonly run: string;
  readonly goal: string;
  readonly job: Job;
}

/** Claims the goal for a resumed run; returns the reason, as a sentence, if another run works on it. */
export async function claimAgain({ run, goal, job, ...asking }: ClaimingAgain): Promise<string | undefined> {
  const { goalRefs } = await loadGitHub();
  const { github } = asking;
  const store = goalRefs({ api: apiOf(github), ...github.at });
  const held = (await readGoal(store, goal)).claim;
  const other =
    held === undefined || held.run === run ? undefined : (await readClaimant(held, asking)).holder;
  let because: string | undefined;
  await changeGoal(store, {
    goal,
    message: `${run} continues`,
    change(record) {
      const { claim } = record;
      // The other run claimed the goal a moment ago, so it is still in progress.
      const isNew = claim !== undefined && claim.run !== held?.run && claim.run !== run;
      const holder = isNew ? claim.run : other?.run;
      because = holder === undefined ? undefined : busy({ run, goal, holder });
      const own = claim?.run === run ? claim : {};
      return holder === undefined ? { ...record, claim: { ...own, ...claimOf(run, job) } } : undefined;
    },
  });
  return because;
}

const busy = ({ run, goal, holder }: { run: string; goal: string; holder: string }) =>
  `run ${run} was not resumed: run ${holder} works on its goal, the branch ${goal}. Resume ${run} once that run has ended, or cancel it first with \`/workflow cancel ${holder}\``;
