import { type BuiltCommits, bringCommit, buildCommits, type Remote } from "../../src/api/publishing.ts";
import { endSignal } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { literalGlob, trustedGlobs } from "./trusted-paths.ts";

interface SoFar {
  readonly gitDir: string;
  readonly remote: Remote;
  readonly inputs: Inputs;
  /** The tip of the branch. */
  readonly tip: string;
  readonly base: string;
  /** The merge base of the two. */
  readonly mergeBase: string;
}

/**
 * The work of a branch as a commit on top of the base, with conflicts as git's markers; deterministic. Files that
 * instruct agents stay those of the base.
 */
export async function workSoFar(work: SoFar): Promise<BuiltCommits> {
  const { gitDir, remote, inputs, tip, base, mergeBase } = work;
  for (const commit of [tip, base, mergeBase]) await bringCommit({ gitDir, remote }, commit);
  const leaveOut = leftOutOf(inputs);
  return await apply(work, { from: mergeBase, to: tip, onto: base, leaveOut, withConflicts: true });
}

/** The same with people's changes to the files that were left out, unless the base has changed the same file. */
export async function withPeoplesFiles(
  work: SoFar,
  soFar: string,
  leftOut: readonly string[],
): Promise<string> {
  const { inputs, tip, base, mergeBase } = work;
  const { files } = await apply(work, { from: mergeBase, to: base, onto: mergeBase, leaveOut: [] });
  const ours = { from: mergeBase, to: tip, onto: mergeBase, leaveOut: leftOutOf(inputs) };
  const from = (await apply(work, ours)).tip ?? mergeBase;
  const leaveOut = leftOut.filter((path) => files.includes(path)).map(literalGlob);
  return (await apply(work, { from, to: tip, onto: soFar, leaveOut })).tip ?? soFar;
}

const leftOutOf = (inputs: Inputs) => [...trustedGlobs, ".github/workflows/**", ...(inputs.protect ?? [])];

interface Changes {
  readonly from: string;
  readonly to: string;
  readonly onto: string;
  readonly leaveOut: readonly string[];
  readonly withConflicts?: boolean;
}

const apply = ({ gitDir }: SoFar, { from, to, ...changes }: Changes): Promise<BuiltCommits> =>
  buildCommits({
    ...changes,
    gitDir,
    base: from,
    steps: [{ snapshot: to, message: "the work of earlier runs" }],
    withoutNested: true,
    signal: endSignal,
  });
