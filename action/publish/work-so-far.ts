import { type BuiltCommits, bringCommit, buildCommits, type Remote } from "../../src/api/publishing.ts";
import { endSignal } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { trustedGlobs } from "./trusted-paths.ts";

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
  return await buildCommits({
    gitDir,
    base: mergeBase,
    onto: base,
    steps: [{ snapshot: tip, message: "the work of earlier runs" }],
    leaveOut: [...trustedGlobs, ".github/workflows/**", ...(inputs.protect ?? [])],
    withConflicts: true,
    withoutNested: true,
    signal: endSignal,
  });
}
