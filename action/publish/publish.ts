import { setTimeout as wait } from "node:timers/promises";
import {
  bringCommit,
  findLeaks,
  type GitHub,
  type Laid,
  layCommits,
  loadGitHub,
  pushBranch,
  type Remote,
  type RemoteBranch,
  readBranch,
  type Summary,
} from "../../src/index.ts";
import type { Destination } from "../ending/ending.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { type Job, RefusedError } from "../job/job.ts";
import type { Site } from "../job/site.ts";
import { commitMessage, isReplaceable, type PublishPlan, pullBody, pullTitle } from "./publish-plan.ts";
import { trustedGlobs } from "./trusted-paths.ts";

/** The work of a run, as the private repository has it. */
export interface Work {
  readonly summary: Summary;
  readonly gitDir: string;
  /** The commit the work began from. */
  readonly base: string;
  /** The workspace after each iteration, oldest first. */
  readonly iterations: readonly { readonly number: number; readonly snapshot: string }[];
  /** The workspace in the end. */
  readonly final: string;
  /** Other runs that began from the same commit, whose work is published with it; their snapshots are in `gitDir` too. */
  readonly beside?: readonly { readonly summary: Summary; readonly final: string }[];
  /** What is not in it and should be, a sentence each. */
  readonly missing?: readonly string[];
}

export interface PublishSetting {
  readonly inputs: Inputs;
  readonly site: Site;
  readonly github: GitHub;
  readonly job: Job;
  readonly plan: PublishPlan;
  readonly remote: Remote;
  /** What was put back before the run: that it differs is not the work's doing. */
  readonly restored: readonly string[];
}

export interface Published extends Destination {
  /** What people should know of it, a sentence each. */
  readonly remarks: readonly string[];
  /** The runs beside the first whose work does not fit on what is there. */
  readonly unfit: readonly Unfit[];
}

interface Unfit {
  readonly run: string;
  readonly conflicts: readonly string[];
}

/** Pushes the work of a run and opens its pull request; `undefined` where there is nothing to publish. */
export async function publishWork(work: Work, setting: PublishSetting): Promise<Published | undefined> {
  const { plan, inputs, github } = setting;
  const place = placeOf(work, setting);
  const branch = await readBranch(place);
  if (plan.way === "push" && branch.tip === undefined)
    throw new RefusedError(
      `the branch ${plan.branch} of the pull request is gone: there is nothing to push to`,
    );
  await bringCommit(place, work.base);
  const { laid, keeps, unfit } = await lay(work, setting, branch);
  refuse(laid, inputs, plan);
  const forbidden = doneBesides(laid.leftOut, setting.restored);
  const left = remarksOf(forbidden, laid.nested);
  if (laid.tip === undefined) {
    // A repository within this one may have been there before.
    if (forbidden.length === 0) return undefined;
    throw new RefusedError(`nothing but files that may not be published has changed (${few(forbidden)})`);
  }
  const onto = keeps ?? work.base;
  const leaks = await findLeaks({ gitDir: work.gitDir, tip: laid.tip, onto, secrets: setting.job.secrets });
  if (leaks.length > 0)
    throw new RefusedError(
      `the work holds a key or a token of this job (in ${few(leaks)}), so nothing was published: take it out, and replace the key`,
    );
  // The same work as the time before stays as it is.
  const isThere = keeps === undefined && (await sameTree(place.gitDir, branch.tip, laid.tip));
  const commit = isThere && branch.tip !== undefined ? branch.tip : laid.tip;
  if (!isThere) await pushBranch(place, { to: laid.tip, expected: branch.tip });
  const pull =
    plan.way === "pull-request" ? await insist(() => keepPull(fitting(work, unfit), setting)) : undefined;
  const silent = !isThere && inputs["push-token"] === undefined && !(await startsChecks(github, commit));
  return { branch: plan.branch, commit, pull, remarks: silent ? [...left, noChecks(plan)] : left, unfit };
}

/** The work that is in it: of the rest the pull request says that it is not. */
function fitting(work: Work, unfit: readonly Unfit[]): Work {
  const { beside = [], missing = [] } = work;
  const isIn = ({ summary }: { readonly summary: Summary }) => unfit.every(({ run }) => run !== summary.run);
  const out = unfit.map(
    ({ run, conflicts }) => `run ${run} does not fit on what is there already, in ${few(conflicts)}`,
  );
  return { ...work, beside: beside.filter(isIn), missing: [...missing, ...out] };
}

const placeOf = ({ gitDir }: Work, { remote, plan }: PublishSetting) => ({
  gitDir,
  remote,
  branch: plan.branch,
});

/** On the base, in place of what we published before; or on top of what others have there. */
async function lay(work: Work, { plan, inputs, restored }: PublishSetting, branch: RemoteBranch) {
  const isReplaced = plan.way !== "push" && branch.isOurs && isReplaceable(branch.message);
  const isOurs = branch.tip === undefined || isReplaced;
  const keeps = isOurs ? undefined : branch.tip;
  const { summary, iterations, final, beside = [] } = work;
  const others = beside.map((one) => ({
    snapshot: one.final,
    message: commitMessage({ summary: one.summary, keeps }),
    beside: true,
  }));
  const last = { snapshot: final, message: commitMessage({ summary, keeps }) };
  const each = iterations.map(({ number, snapshot }) => ({
    snapshot,
    message: commitMessage({ summary, iteration: number, keeps }),
  }));
  const laid = await layCommits({
    gitDir: work.gitDir,
    base: work.base,
    onto: keeps ?? work.base,
    // What others have on the branch the first iterations need not fit on; what came of them all may.
    steps: [...(inputs.squash === "false" && isOurs ? [...each, last] : [last]), ...others],
    leaveOut: [
      ...trustedGlobs,
      // Put back by us, not changed by the work: the pull request keeps its own.
      ...restored.map((path) => path.replace(/[*?[\]{}()!+@\\]/g, "\\$&")),
      ...(inputs["allow-workflow-files"] ? [] : [".github/workflows/**"]),
      ...(inputs.protect ?? []),
    ],
    withoutNested: true,
    signal: new AbortController().signal,
  });
  const unfit = laid.unfit.map(({ step, conflicts }) => ({
    run: beside[others.indexOf(step as (typeof others)[number])]?.summary.run ?? "",
    conflicts,
  }));
  return { laid, keeps, unfit };
}

function refuse(laid: Laid, inputs: Inputs, { branch }: PublishPlan): void {
  const { files, bytes } = laid;
  const unfit = laid.tip === undefined ? laid.unfit : [];
  const conflicts = [...laid.conflicts, ...unfit.flatMap((one) => one.conflicts)];
  if (conflicts.length > 0)
    throw new RefusedError(
      `the work does not fit on ${branch}, which others have changed (${few(conflicts)}): merge or delete that branch and run again`,
    );
  const { "max-files": mostFiles = 300, "max-patch-kib": mostKib = 4_096 } = inputs;
  if (files.length > mostFiles)
    throw new RefusedError(
      `the work changes ${files.length} files, and \`max-files\` is ${mostFiles}: nothing was published`,
    );
  if (bytes > mostKib * 1024)
    throw new RefusedError(
      `the files the work changes have ${Math.ceil(bytes / 1024)} KiB, and \`max-patch-kib\` is ${mostKib}: nothing was published`,
    );
}

/** Of a list that was cut one cannot know what is not in it. */
const doneBesides = (leftOut: readonly string[], restored: readonly string[]) =>
  restored.length >= 50 ? [] : leftOut.filter((path) => !restored.includes(path));

/** What is not in it, though the work has it. */
const remarksOf = (forbidden: readonly string[], nested: readonly string[]) => [
  ...(forbidden.length === 0 ? [] : [`left out, as it may not be published: ${few(forbidden)}`]),
  ...(nested.length === 0
    ? []
    : [
        `left out, as git keeps the files of a repository within one elsewhere: ${few(nested)} (without its .git folder it is published)`,
      ]),
];

const few = (paths: readonly string[]) =>
  paths.slice(0, 5).join(", ") + (paths.length > 5 ? ` and ${paths.length - 5} more` : "");

async function sameTree(gitDir: string, one: string | undefined, two: string): Promise<boolean> {
  if (one === undefined) return false;
  const { tip } = await layCommits({
    gitDir,
    base: one,
    onto: one,
    steps: [{ snapshot: two, message: "compared" }],
    leaveOut: [],
    signal: new AbortController().signal,
  });
  return tip === undefined;
}

/** The open pull request of the branch, brought up to date; or a new one. */
async function keepPull({ summary, beside = [], missing = [] }: Work, setting: PublishSetting) {
  const { inputs, site, github, job, plan } = setting;
  const runs = [summary, ...beside.map((one) => one.summary)];
  const { addLabels, createPull, findPull, setDraft, updatePull } = await loadGitHub();
  const text = {
    title: job.withoutSecrets(pullTitle(inputs.title, summary)),
    body: job.withoutSecrets(pullBody(runs, site, missing)),
  };
  const draft =
    inputs.draft === "auto"
      ? missing.length > 0 || runs.some(({ conclusion }) => conclusion !== "success")
      : inputs.draft === "true";
  const found = await findPull(github, plan.branch);
  if (found !== undefined) await updatePull(github, found.number, text);
  if (found !== undefined && found.draft !== draft) await setDraft(github, found, draft);
  const pull = found ?? (await createPull(github, { ...text, head: plan.branch, base: plan.base, draft }));
  await addLabels(github, pull.number, inputs.labels ?? []);
  return { number: pull.number, url: pull.url };
}

/** Does again what may be done again while the host is away: what it carried out without an answer is found there then. */
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  for (let pause = 1_000; ; pause *= 2) {
    try {
      return await ask();
    } catch (error) {
      const { status } = error as { readonly status?: unknown };
      const isAway = status === 0 || Number(status) >= 500;
      if (!isAway || pause > 32_000) throw error;
      await wait(pause);
    }
  }
}

/** Looks a few times, as GitHub takes its time, whether anything runs on what the job's own token pushed. */
async function startsChecks(github: GitHub, commit: string): Promise<boolean> {
  const { isChecked } = await loadGitHub();
  for (let look = 0; look < 3; look++) {
    if (look > 0) await wait(1_500);
    // Who may not look cannot say that there is none.
    if (await isChecked(github, commit).catch(() => true)) return true;
  }
  return false;
}

const noChecks = ({ branch }: PublishPlan) =>
  `GitHub has started no checks on ${branch}, as it starts none for what the job's own token pushes: give the token of ` +
  "an app or a person as `push-token`, from a secret (`secrets.PUSH_TOKEN`), or push a commit yourself";
