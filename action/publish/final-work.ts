import { layCommits, readWithheld } from "../../src/index.ts";

interface Work {
  /** The private repository. */
  readonly gitDir: string;
  /** The snapshot that the last checks looked at, where nothing of the workflow came after them. */
  readonly checked: string | undefined;
  /** The checkout as it is now. */
  readonly now: string;
  /** Whether something of the run was still at work when it came to rest. */
  readonly disturbed: boolean;
}

/**
 * What of the work is to be published, with a word on what changed after the checks had begun: the checks' own doing,
 * which belongs to it, unless something else was at work beside them. Then it is what they began with.
 */
export async function finalWork({
  gitDir,
  checked,
  now,
  disturbed,
}: Work): Promise<{ readonly final: string; readonly remark?: string }> {
  if (checked === undefined || (await readWithheld(gitDir, checked)).length > 0) return { final: now };
  const files = await changedSince(gitDir, checked, now);
  if (files.length === 0) return { final: now };
  const few = files.slice(0, 5).join(", ") + (files.length > 5 ? ` and ${files.length - 5} more` : "");
  if (!disturbed) return { final: now, remark: `changed while the last check ran, or after it: ${few}` };
  return {
    final: checked,
    remark: `left out, as something of the run went on beside its last check and may have written it: ${few}`,
  };
}

/** Workflow files are in no snapshot of an iteration, and never published unasked. */
async function changedSince(gitDir: string, checked: string, now: string): Promise<readonly string[]> {
  const { files } = await layCommits({
    gitDir,
    base: checked,
    onto: checked,
    steps: [{ snapshot: now, message: "compared" }],
    leaveOut: [".github/workflows/**"],
    signal: new AbortController().signal,
  });
  return files;
}
