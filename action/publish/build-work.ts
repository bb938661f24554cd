import { loadGitHub } from "../../src/api/github.ts";
import {
  type BuiltCommits,
  buildCommits,
  type CommitStep,
  findMarkers,
  type Grade,
  mergeCommit,
  type RemoteBranch,
} from "../../src/api/publishing.ts";
import { endSignal } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { RefusedError } from "../job/job.ts";
import { few } from "../job/workflow-commands.ts";
import { commitMessage, type PublishPlan } from "./publish-plan.ts";
import { isOwn } from "./published-grade.ts";
import { literalGlob, trustedGlobs } from "./trusted-paths.ts";
import type { PublishSetting, Work } from "./work.ts";
import { withPeoplesFiles, workSoFar } from "./work-so-far.ts";

interface BuildTarget {
  readonly branch: RemoteBranch;
  /** The commit of the work. */
  readonly grade: Grade;
  /**
   * True if people have merged or closed the pull request that contains everything on the branch. Then nothing on it
   * needs to be kept: it is in the base, or rejected and preserved in the closed pull request.
   */
  readonly isSettled: boolean;
}

/** Commits the work: on the base, replacing what we published before; or on top of other people's commits. */
export async function buildWork(
  work: Work,
  setting: PublishSetting,
  { branch, grade, isSettled }: BuildTarget,
) {
  const { plan, inputs, restored, templates } = setting;
  const signoff = inputs.signoff ? await signerFor(setting) : undefined;
  const isReplaced = plan.way !== "push" && (isSettled || isOwn(branch));
  const isOurs = branch.tip === undefined || isReplaced;
  const keeps = isOurs ? undefined : branch.tip;
  const { summary, iterations, final, others = [] } = work;
  const trailers = { grade, keeps, signoff };
  const parallel = others.map((other) => ({
    snapshot: other.final,
    message: commitMessage({ summary: other.summary, ...trailers }),
    parallel: true,
  }));
  const last = {
    snapshot: final,
    message: commitMessage({ summary, template: templates.commitMessage, ...trailers }),
  };
  const each = iterations.map(({ number, snapshot }) => ({
    snapshot,
    message: commitMessage({ summary, iteration: number, ...trailers }),
  }));
  const commits = await buildCommits({
    gitDir: work.gitDir,
    author: inputs.author,
    ...((keeps === undefined ? undefined : await mergedWith(keeps, work, setting)) ?? {
      base: work.base,
      onto: keeps ?? work.base,
    }),
    // Early iterations may conflict with other people's commits on the branch even if their combined result does not.
    steps: [...(inputs.squash === "false" && isOurs ? [...each, last] : [last]), ...parallel],
    leaveOut: [
      ...trustedGlobs,
      // Files that we restored are not part of the work: the pull request keeps its own versions.
      ...restored.map(literalGlob),
      ...(inputs["allow-workflow-files"] ? [] : [".github/workflows/**"]),
      ...(inputs.protect ?? []),
    ],
    withoutNested: true,
    signal: endSignal,
  });
  const runOf = (step: CommitStep) =>
    others.find((_, at) => parallel[at] === step)?.summary.run ?? summary.run;
  const unfit = commits.unfit.map(({ step, conflicts, with: earlier }) => ({
    run: runOf(step),
    conflicts,
    with: earlier.map(runOf),
  }));
  return { commits, keeps, unfit };
}

/** The person who signs off: the author of the commits. */
async function signerFor({ inputs, github, opener }: PublishSetting): Promise<string> {
  if (inputs["commit-mode"] !== "api")
    return inputs.author ?? "until-green <until-green@users.noreply.github.com>";
  const { signerOf } = await import("./api-commits.ts");
  return await signerOf(opener ?? github);
}

/**
 * The work of a run that started from a branch with people's commits: its changes on top of that branch, with the
 * base merged in if it has changed. `undefined` if the run started from something else.
 */
async function mergedWith(tip: string, work: Work, setting: PublishSetting) {
  if (setting.series?.from !== tip) return undefined;
  const { earlier, soFar } = await startOf(tip, work, setting);
  if (soFar.tip === undefined) return undefined;
  const { base, mergeBase } = earlier;
  if (mergeBase === base) return { base: soFar.tip, onto: tip };
  const files = await withPeoplesFiles(earlier, soFar.tip, soFar.leftOut);
  const merge = { files, parents: [tip, base], message: `Merge ${base.slice(0, 12)}` };
  return { base: soFar.tip, onto: await mergeCommit(work.gitDir, merge) };
}

/** What a run that continued a branch started with: that branch on top of its base. */
async function startOf(tip: string, { base, gitDir }: Work, { github, inputs, remote }: PublishSetting) {
  const { readMergeBase } = await loadGitHub();
  const mergeBase = await readMergeBase(github, base, tip);
  const earlier = { gitDir, remote, inputs, tip, base, mergeBase };
  return { earlier, soFar: await workSoFar(earlier) };
}

/** Throws if the work still contains conflicts that the run was supposed to resolve. */
export async function refuseMarkers(work: Work, setting: PublishSetting): Promise<void> {
  const { gitDir, base, final, others = [] } = work;
  const { from, conflicts = [] } = setting.series ?? {};
  const start = from === undefined || conflicts.length === 0 ? undefined : await startOf(from, work, setting);
  const left: string[] = [];
  for (const commit of [final, ...others.map((other) => other.final)])
    left.push(
      ...(await findMarkers(gitDir, {
        base,
        commit,
        signal: endSignal,
        marked: { commit: start?.soFar.tip ?? "", paths: conflicts },
      })),
    );
  if (left.length > 0)
    throw new RefusedError(
      `conflicts with the base are not resolved in ${few([...new Set(left)])}: the next run of this goal tries again`,
    );
}

/** Throws if the work must not be published. */
export function refuseWork(commits: BuiltCommits, inputs: Inputs, { branch }: PublishPlan): void {
  const { files, bytes } = commits;
  const unfit = commits.tip === undefined ? commits.unfit : [];
  const conflicts = [...commits.conflicts, ...unfit.flatMap((one) => one.conflicts)];
  if (conflicts.length > 0)
    throw new RefusedError(
      `the work conflicts with ${branch}, which others have changed (${few(conflicts)}): merge or delete that branch and run again`,
    );
  const { "max-files": mostFiles = 300, "max-patch-kib": mostKib = 4_096 } = inputs;
  if (files.length > mostFiles)
    throw new RefusedError(
      `the work changes ${files.length} files, and \`max-files\` is ${mostFiles}: nothing was published${largestIn(files)}`,
    );
  if (bytes > mostKib * 1024)
    throw new RefusedError(
      `the files the work changes have ${Math.ceil(bytes / 1024)} KiB, and \`max-patch-kib\` is ${mostKib}: nothing was published`,
    );
}

/** The folders that most of the files are in, and the line that keeps the first one out. */
function largestIn(files: readonly string[]): string {
  const tops = files.flatMap((path) => (path.includes("/") ? [path.slice(0, path.indexOf("/"))] : []));
  const counts = [...Map.groupBy(tops, (top) => top)].map(([top, all]) => ({ top, count: all.length }));
  const most = counts.toSorted((a, b) => b.count - a.count).slice(0, 3);
  const [first] = most;
  if (first === undefined) return "";
  const list = most.map(({ top, count }) => `${top}/ (${count})`).join(", ");
  return `. Most are in ${list}: if they do not belong in the repository, add the line \`/${first.top}/\` to .gitignore`;
}
