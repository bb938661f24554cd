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
import { type ExitCode, exitOf, LateError, UsageError } from "./exit.ts";
import { findResumable } from "./find-run.ts";
import { askAtGate } from "./gate-prompt.ts";
import type { CommonOptions } from "./options.ts";
import { findLocation, notice, type StoreLocation } from "./run-environment.ts";

/** `until-green resume`: resumes a run from its log; by default the newest one, or the only unfinished one. */
export async function resumeCommand(
  idOrPrefix: string | undefined,
  options: CommonOptions & {
    readonly maxMinutes?: number;
    readonly patience?: number;
    readonly isolation?: IsolationMode;
    readonly agentArgs?: readonly string[];
    readonly network?: NetworkRule;
    readonly show?: readonly string[];
    readonly write?: readonly string[];
    readonly moreIterations?: number;
  },
): Promise<ExitCode> {
  const location = await findLocation(options);
  const runId = await findResumable(location.store, idOrPrefix);
  const { moreIterations } = options;
  if (moreIterations !== undefined) await giveMore(location, runId, moreIterations);
  const drive = () => driveRun(location, options, { resume: runId, assertResumable });
  const code = await orItsEnd(location, runId, drive);
  return await askAtGate(code, runId, options);
}

/** If a process of this machine could not push the end of the run, only that is left to do. */
async function orItsEnd(
  { store }: StoreLocation,
  runId: string,
  drive: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const isWaiting = await store.hasUnpushed?.(runId);
  try {
    return await drive();
  } catch (error) {
    if (isWaiting !== true || !(error instanceof EndedError)) throw error;
    if (await store.hasUnpushed?.(runId))
      throw new Error(
        `run ${runId} has ended on this machine, and its end could not be pushed: resume it again when the host answers`,
      );
    notice(`run ${runId} had already ended on this machine; this is now recorded at the host`);
    return exitOf(error.session);
  }
}

/** The run has ended: there is nothing to resume. */
class EndedError extends UsageError {
  readonly session: RunSession;

  constructor(message: string, session: RunSession) {
    super(message);
    this.session = session;
  }
}

function assertResumable(session: RunSession): void {
  const [at, since] = [new Date().toISOString(), performance.timeOrigin];
  const decision = decide(viewOf(session), { kind: "resume", by: speaker(), at, since, text: "" });
  // A waiting gate is shown again, and can be answered on a terminal.
  if (!("refused" in decision) || decision.waits) return;
  const last = session.take().at(-1)?.at ?? "";
  if (Date.parse(last) >= since) throw new LateError(`meanwhile ${decision.because}`);
  throw session.closed ? new EndedError(decision.because, session) : new UsageError(decision.because);
}

async function giveMore({ store }: StoreLocation, runId: string, iterations: number): Promise<void> {
  const { statusOf } = createRunProjection({ before: parseRunStatus(await store.status?.(runId)) });
  const at = new Date().toISOString();
  const command = {
    kind: "retry",
    by: speaker(),
    at,
    since: Date.parse(at),
    text: String(iterations),
  } as const;
  const refused = await extendRun({ store, statusOf }, runId, (session) => {
    const decision = decide(viewOf(session), command);
    return "record" in decision || "refused" in decision ? decision : nothing;
  });
  if (refused !== undefined) throw new UsageError(refused.because);
}
