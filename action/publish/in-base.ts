import { buildCommits, readBranch } from "../../src/api/publishing.ts";
import { endSignal } from "../../src/api/runs.ts";
import type { PublishSetting, Work } from "./work.ts";

/** Whether the base has all that a run changed: its pull request was merged while it worked. */
export async function isInBase(
  { gitDir, base, final, others = [] }: Work,
  { plan, remote }: PublishSetting,
): Promise<boolean> {
  if (others.length > 0) return false;
  const { tip: now } = await readBranch({ gitDir, remote, branch: plan.base });
  if (now === undefined || now === base) return false;
  const { tip, conflicts } = await buildCommits({
    gitDir,
    base,
    onto: now,
    steps: [{ snapshot: final, message: "compared" }],
    leaveOut: [],
    signal: endSignal,
  });
  return tip === undefined && conflicts.length === 0;
}
