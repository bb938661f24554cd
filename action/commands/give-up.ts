import { retireNotices, showRun } from "../../src/api/github.ts";
import {
  appendDecision,
  createRunProjection,
  decide,
  parseRunStatus,
  runViewOf,
} from "../../src/api/runs.ts";
import { siteOf } from "../github/issue-ops.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GivenUp, Job, Unanswered } from "../job/job.ts";
import { openRunStore } from "../run/open-store.ts";

/**
 * Cancels a run that waits for a person and updates its comment; `undefined` if somebody has answered it meanwhile.
 */
export async function giveUpRun(
  { run, because: text, pull: ofGoal }: Unanswered,
  { inputs, cwd }: { readonly inputs: Inputs; readonly cwd: string },
  job: Job,
): Promise<GivenUp | undefined> {
  const { store } = await openRunStore({ run, cwd, inputs }, job);
  const before = parseRunStatus(await store.status?.(run));
  const { statusOf } = createRunProjection({ before });
  const done = await appendDecision({ store, statusOf }, run, (session) => {
    const at = new Date().toISOString();
    const decision = decide(runViewOf(session), {
      kind: "cancel",
      by: "until-green",
      text,
      at,
      since: Date.parse(at),
    });
    const isWaiting = session.paused && session.gates().length > 0;
    return isWaiting && "record" in decision ? decision : answered;
  });
  const status = "refused" in done ? undefined : parseRunStatus(await store.status?.(run));
  if ("refused" in done || status === undefined) return undefined;
  const site = siteOf(inputs, job);
  if (site !== undefined) {
    const pull = status.origin?.pull ?? ofGoal;
    await showRun(site, status);
    // Failing to minimize a comment is not an error.
    if (pull !== undefined) await retireNotices(site, { status, pull }).catch(() => undefined);
  }
  return { summary: status.summary, facts: done.session.facts };
}

const answered = { refused: "late", because: "somebody has answered it" } as const;
