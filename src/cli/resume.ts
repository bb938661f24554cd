import { decide } from "../decisions/decide.ts";
import { viewOf } from "../decisions/run-view.ts";
import type { RunSession } from "../engine/session.ts";
import type { IsolationMode } from "../ports/isolation.ts";
import type { NetworkRule } from "../ports/network.ts";
import { extendRun } from "../runner/extend-run.ts";
import { createRunProjection } from "../status/run-projection.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import { nothing, speaker } from "./decision-command.ts";
import { driveRun } from "./drive-run.ts";
import { type ExitCode, LateError, UsageError } from "./exit.ts";
import { findRun } from "./find-run.ts";
import { askAtGate } from "./gate-prompt.ts";
import type { CommonOptions } from "./options.ts";
import { findPlace, type StoreLocation } from "./run-environment.ts";

/** `until-green resume`: resumes a run from its log; the newest one if none is named. */
export async function resumeCommand(
  given: string | undefined,
  options: CommonOptions & {
    readonly maxMinutes?: number;
    readonly patience?: number;
    readonly isolation?: IsolationMode;
    readonly agentArgs?: readonly string[];
    readonly network?: NetworkRule;
    readonly moreIterations?: number;
  },
): Promise<ExitCode> {
  const place = await findPlace(options);
  const runId = await findRun(place.store, given);
  const { moreIterations } = options;
  if (moreIterations !== undefined) await giveMore(place, runId, moreIterations);
  const code = await driveRun(place, options, { resume: runId, assertResumable });
  return await askAtGate(code, runId, options);
}

function assertResumable(session: RunSession): void {
  const [at, since] = [new Date().toISOString(), performance.timeOrigin];
  const decision = decide(viewOf(session), { kind: "resume", by: speaker(), at, since, text: "" });
  // A gate that waits is shown again, and on a terminal it can be answered there.
  if (!("refused" in decision) || decision.waits) return;
  const last = session.take().at(-1)?.at ?? "";
  if (Date.parse(last) >= since) throw new LateError(`meanwhile ${decision.because}`);
  throw new UsageError(decision.because);
}

async function giveMore({ store }: StoreLocation, runId: string, iterations: number): Promise<void> {
  const { standing } = createRunProjection({ before: parseRunStatus(await store.standing?.(runId)) });
  const at = new Date().toISOString();
  const said = { kind: "retry", by: speaker(), at, since: Date.parse(at), text: String(iterations) } as const;
  const refused = await extendRun({ store, standing }, runId, (session) => {
    const decision = decide(viewOf(session), said);
    return "record" in decision || "refused" in decision ? decision : nothing;
  });
  if (refused !== undefined) throw new UsageError(refused.because);
}
