import { buildCommits, readExcludedPaths } from "../../src/api/publishing.ts";
import { endSignal } from "../../src/api/runs.ts";
import { few } from "../job/workflow-commands.ts";

interface Work {
  /** The private repository. */
  readonly gitDir: string;
  /** The snapshot that the last checks tested, if the workflow did nothing after them. */
  readonly checked: string | undefined;
  /** The current checkout. */
  readonly now: string;
  /** True if processes of the run were still running at its end. */
  readonly disturbed: boolean;
}

/**
 * Selects the commits to publish, with a notice on changes made after the checks started. The checks' own changes are
 * included, unless other processes were running: then only what the checks started from is published.
 */
export async function finalWork(work: Work): Promise<{ readonly final: string; readonly notice?: string }> {
  const { gitDir, checked, now, disturbed } = work;
  if (checked === undefined || (await readExcludedPaths(gitDir, [checked])).flat().length > 0)
    return { final: now };
  const files = await changedSince(gitDir, checked, now);
  if (files.length === 0) return { final: now };
  if (!disturbed)
    return { final: now, notice: `changed while the last check ran, or after it: ${few(files)}` };
  return {
    final: checked,
    notice: `left out, because another part of the run was active during its last check and may have written it: ${few(files)}`,
  };
}

/** Workflow files are in no iteration's snapshot, and are published only if requested. */
async function changedSince(gitDir: string, checked: string, now: string): Promise<readonly string[]> {
  const { files } = await buildCommits({
    gitDir,
    base: checked,
    onto: checked,
    steps: [{ snapshot: now, message: "compared" }],
    leaveOut: [".github/workflows/**"],
    signal: endSignal,
  });
  return files;
}
