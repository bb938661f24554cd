import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import {
  bringCommit,
  findSecretsInCommits,
  type Grade,
  gradeIn,
  PushError,
  pushBranch,
  type RemoteBranch,
  readBranch,
  readTrees,
  whyWorse,
  withParent,
} from "../../src/api/publishing.ts";
import { endSignal, type Summary } from "../../src/api/runs.ts";
import { RefusedError } from "../job/job.ts";
import { few } from "../job/workflow-commands.ts";
import { buildWork, refuseMarkers, refuseWork } from "./build-work.ts";
import { startsChecks, withRetry } from "./github-requests.ts";
import { isInBase } from "./in-base.ts";
import { keepAttempt } from "./keep-attempt.ts";
import { type FoundPull, keepPull } from "./keep-pull.ts";
import { startsWorkflows } from "./publish-context.ts";
import { noChecks } from "./publish-plan.ts";
import { gradeOf, publishedGrade } from "./published-grade.ts";
import { nameOfRun, type Published, type PublishSetting, type Unfit, type Work, whyUnfit } from "./work.ts";

/** Pushes the work of a run and opens its pull request; `undefined` if there is nothing to publish. */
export async function publishWork(work: Work, setting: PublishSetting): Promise<Published | undefined> {
  const { plan, inputs } = setting;
  const place = placeOf(work, setting);
  const branch = await readBranch(place);
  const pulls = await pullsOf(branch, setting);
  const { settled } = pulls;
  if (plan.way === "push" && branch.tip === undefined && settled === undefined)
    throw new RefusedError(
      `the branch ${plan.branch} of the pull request is gone: there is nothing to push to`,
    );
  await bringCommit(place, work.base);
  await refuseMarkers(work, setting);
  const grade = await gradeOf(work);
  if (settled?.merged === true && (await isInBase(work, setting))) {
    const notice = `pull request #${settled.number} was merged while this run worked, and ${plan.base} has all of its work`;
    return { branch: plan.branch, commit: settled.headSha, pull: settled, notices: [notice], unfit: [] };
  }
  const target = { branch, grade, isSettled: settled !== undefined };
  const { commits, keeps, unfit } = await buildWork(work, setting, target);
  refuseWork(commits, inputs, plan);
  const forbidden = doneBesides(commits.leftOut, setting.restored);
  if (commits.tip === undefined) {
    // A nested repository may have existed before.
    if (forbidden.length === 0) return undefined;
    throw new RefusedError(`only files that may not be published have changed (${few(forbidden)})`);
  }
  await refuseSecrets({ work, tip: commits.tip, onto: keeps ?? work.base }, setting);
  const built = { work, branch, pulls, grade, tip: commits.tip, isOurs: keeps === undefined, unfit };
  return await put({ ...built, notices: noticesFor(forbidden, commits.nested) }, setting);
}

interface Pulls {
  /** The open one. */
  readonly open: FoundPull;
  /** The one that was merged or closed: that the work is pushed to, or with the branch's current commits. */
  readonly settled: FoundPull;
}

/** A branch's pull requests, which determine what must be kept on the branch. */
async function pullsOf(branch: RemoteBranch, { plan, github, site }: PublishSetting): Promise<Pulls> {
  const nothing = { open: undefined, settled: undefined };
  const { findLastPull, findPull, readPull } = await loadGitHub();
  if (plan.way === "push" && site.pull !== undefined) {
    const pull = await readPull(github, site.pull.number);
    return pull.state === "open" ? nothing : { ...nothing, settled: pull };
  }
  if (plan.way !== "pull-request") return nothing;
  const open = await findPull(github, plan.branch);
  if (open !== undefined || branch.tip === undefined) return { ...nothing, open };
  const last = await findLastPull(github, plan.branch);
  return { ...nothing, settled: last?.headSha === branch.tip ? last : undefined };
}

interface Leaking {
  readonly work: Work;
  readonly tip: string;
  readonly onto: string;
}

async function refuseSecrets({ work, tip, onto }: Leaking, { job }: PublishSetting): Promise<void> {
  const leaks = await findSecretsInCommits({ gitDir: work.gitDir, tip, onto, secrets: job.secrets });
  if (leaks.length === 0) return;
  throw new RefusedError(
    `the work contains a key or a token of this job (in ${few(leaks)}), so nothing was published: remove it and rotate the key`,
  );
}

interface BuiltBranch {
  readonly work: Work;
  readonly branch: RemoteBranch;
  readonly pulls: Pulls;
  readonly grade: Grade;
  readonly tip: string;
  /** True if the branch has no commits by others. */
  readonly isOurs: boolean;
  readonly unfit: readonly Unfit[];
  readonly notices: readonly string[];
}

/** Pushes the commits unless better work is there, and updates the pull request. */
async function put(built: BuiltBranch, setting: PublishSetting): Promise<Published> {
  const { work, branch, pulls, grade, tip, isOurs, unfit, notices } = built;
  const { plan, github, inputs } = setting;
  const place = placeOf(work, setting);
  const pull = pulls.open;
  const because = whyNotPublished(built, setting);
  if (because !== undefined) {
    const notice = await keepAttempt({ work, commit: tip, because, pull: pull ?? pulls.settled }, setting);
    const there = { branch: plan.branch, commit: branch.tip ?? tip, pull, unfit };
    return { ...there, notices: [...notices, notice], aside: true };
  }
  // The work is already there. With a newer base it is not, even if resolved conflicts lead to the same files.
  const isThere =
    isOurs &&
    pulls.settled === undefined &&
    (gradeIn(branch.message)?.green ?? grade.green) === grade.green &&
    (await sameTree(place.gitDir, branch.tip, tip)) &&
    (await isOn(work.base, branch, github));
  const made = isThere ? { tip: branch.tip ?? tip, notices: [] } : await push(built, setting);
  const commit = made.tip;
  const show = () => keepPull({ work: fitting(work, unfit), grade, existing: pull, commit }, setting);
  const kept = plan.way === "pull-request" ? await withRetry(show) : undefined;
  const silent = !isThere && !startsWorkflows(inputs) && !(await startsChecks(github, commit));
  const refused = kept?.notices ?? [];
  const all = [...notices, ...made.notices, ...refused, ...(silent ? [noChecks(plan)] : [])];
  const opened = kept && { number: kept.number, url: kept.url };
  return { branch: plan.branch, commit, pull: opened, notices: all, unfit };
}

/**
 * Pushes the commits. Repository rules often forbid force pushes: then the last commit also has the branch's tip as a
 * parent.
 */
async function push(built: BuiltBranch, setting: PublishSetting) {
  const place = placeOf(built.work, setting);
  const { tip: expected } = built.branch;
  const made = await signed(built, setting);
  try {
    await pushBranch(place, { to: made.tip, expected });
    return made;
  } catch (error) {
    if (expected === undefined || !(error instanceof PushError) || !error.forbidsForce) throw error;
  }
  const tip = await withParent(place.gitDir, built.tip, expected);
  const joined = await signed({ ...built, tip }, setting);
  await pushBranch(place, { to: joined.tip, expected });
  return joined;
}

/**
 * With `commit-mode: api`, GitHub creates and signs the same commits. They are fetched, so that the push is refused
 * if the branch has moved.
 */
async function signed(
  { work, branch, tip }: BuiltBranch,
  { inputs, github, opener, remote }: PublishSetting,
) {
  if (inputs["commit-mode"] !== "api") return { tip, notices: [] };
  const { commitByApi } = await import("./api-commits.ts");
  const { gitDir, base } = work;
  const known = branch.tip === undefined ? [base] : [base, branch.tip];
  const made = await commitByApi({ gitDir, tip, known }, opener ?? github);
  await bringCommit({ gitDir, remote }, made.tip);
  return made;
}

/** Why the work must not replace what is on the branch. */
function whyNotPublished(
  { work, branch, pulls, grade }: BuiltBranch,
  { series, plan }: PublishSetting,
): string | undefined {
  const { settled } = pulls;
  if (plan.way === "push")
    return (
      settled &&
      `pull request #${settled.number} was ${settled.merged ? "merged" : "closed"} while this run worked`
    );
  // People have decided about it: it is merged or rejected.
  if (settled !== undefined)
    return !settled.merged && series?.from === branch.tip
      ? `pull request #${settled.number} was closed while this run worked`
      : undefined;
  const published = publishedGrade(branch, pulls.open);
  if (published === undefined) return undefined;
  const sameBase = branch.parents[0] === work.base;
  return whyWorse({ ...grade, continues: series?.from !== undefined, sameBase }, published);
}

/** The published runs; the pull request lists the others as missing. */
function fitting(work: Work, unfit: readonly Unfit[]): Work {
  const { others = [], missing = [] } = work;
  const isIn = ({ summary }: { readonly summary: Summary }) => unfit.every(({ run }) => run !== summary.run);
  const out = unfit.map((one) => `${nameOfRun(one.run)} ${whyUnfit(one)}`);
  return { ...work, others: others.filter(isIn), missing: [...missing, ...out] };
}

const placeOf = ({ gitDir }: Work, { remote, plan }: PublishSetting) => ({
  gitDir,
  remote,
  branch: plan.branch,
});

/** Empty if the list of restored files is truncated: then we cannot know. */
const doneBesides = (leftOut: readonly string[], restored: readonly string[]) =>
  restored.length >= 50 ? [] : leftOut.filter((path) => !restored.includes(path));

/** Changes of the work that were left out. */
const noticesFor = (forbidden: readonly string[], nested: readonly string[]) => [
  ...(forbidden.length === 0 ? [] : [`left out, because it may not be published: ${few(forbidden)}`]),
  ...(nested.length === 0
    ? []
    : [
        `left out, because git does not store the files of a nested repository: ${few(nested)} (to publish them, remove its .git folder)`,
      ]),
];

/** True if the commits of a branch are on top of a base. */
async function isOn(base: string, { tip = "", parents }: RemoteBranch, github: GitHub): Promise<boolean> {
  if (parents.includes(base)) return true;
  const { readMergeBase } = await loadGitHub();
  return (await readMergeBase(github, base, tip).catch(() => undefined)) === base;
}

async function sameTree(gitDir: string, one: string | undefined, two: string): Promise<boolean> {
  if (one === undefined) return false;
  const [before, after] = await readTrees({ gitDir, signal: endSignal }, [one, two]);
  return before === after;
}
