import { userInfo } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { decisionOf } from "../decisions/answer.ts";
import { decide, type Statement } from "../decisions/decide.ts";
import { viewOf } from "../decisions/run-view.ts";
import { EmptyLogError } from "../engine/replay.ts";
import type { RunSession } from "../engine/session.ts";
import { RemoteError } from "../git/remote.ts";
import { RunLockedError } from "../ports/store.ts";
import { killRunOrphans } from "../processes/process-group.ts";
import { appendDecision, type Recorded, type Refused } from "../runner/append-decision.ts";
import { openRun } from "../runner/open-run.ts";
import { redact } from "../runner/redact.ts";
import { EndedRunError } from "../runner/run.ts";
import { createRunProjection } from "../status/run-projection.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import { summarizeEvents } from "../status/run-summary.ts";
import { driveRun } from "./drive-run.ts";
import { type ExitCode, exit, exitOf, LateError, UsageError } from "./exit.ts";
import { ourSecrets } from "./model-keys.ts";
import type { CommonOptions } from "./options.ts";
import { openOutput } from "./output.ts";
import { say } from "./print.ts";
import { whyResume } from "./resume-hint.ts";
import { findLocation, type StoreLocation } from "./run-environment.ts";
import { storeFlags } from "./store-flags.ts";

interface Decision {
  readonly name: Statement["kind"];
  readonly runId: string;
  readonly text: string;
  readonly step?: string;
  readonly options: CommonOptions & { readonly gate?: string };
  /** When the command was given; default: the start of this process. It does not apply to gates opened later. */
  readonly since?: number;
}

/** `approve`, `reject`, `cancel`, `tell`: records the decision and, if the run can continue, resumes it. */
export async function decideCommand({
  name,
  runId,
  text,
  step,
  options,
  since = performance.timeOrigin,
}: Decision): Promise<ExitCode> {
  const location = await findLocation(options);
  const by = speaker();
  let gate = options.gate;
  const before = parseRunStatus(await location.store.status?.(runId));
  const { statusOf } = createRunProjection({ before });
  const choose = (session: RunSession) => {
    const chosen = decide(viewOf(session), {
      kind: name,
      by,
      text: redact(text, ourSecrets()),
      step,
      gate,
      since,
      at: new Date().toISOString(),
    });
    if (!("record" in chosen)) return "refused" in chosen ? chosen : nothing;
    // If another writer is faster, we choose again, and the command still applies to the gate that was seen first.
    gate = chosen.gate?.path ?? gate;
    return { record: chosen.record };
  };
  const append = () => appendDecision({ store: location.store, statusOf }, runId, choose);
  const recorded = await orAfterPush(location, runId, append).catch((error: unknown) => {
    if (!(error instanceof RemoteError)) throw error;
    const look = `until-green status ${runId}${storeFlags(options)}`;
    throw new RemoteError(`${error.message}; ${look} shows whether the ${name} was recorded`, {
      cause: error,
    });
  });
  if ("refused" in recorded) {
    if (recorded.refused !== "late") throw new UsageError(recorded.because);
    throw new LateError(`${recorded.because}${await howToContinue(location, options, runId)}`);
  }
  const resumes = decisionOf(name) !== undefined && !recorded.session.ended;
  if (!resumes) {
    const output = openOutput(options);
    for (const event of recorded.events) output.emit(event);
    if (recorded.session.ended) {
      // The run waited only for this decision.
      output.recall((await openRun(location.store, runId)).session.take());
      await output.close(runId);
      await clearOrphans(location, runId);
    } else output.end();
    return name === "tell" ? exit.ok : exitOf(recorded.session);
  }
  return await resume(location, options, { runId, recorded });
}

/** The refusal may be caused by lines that a killed process of this machine could not push. */
async function orAfterPush(
  { store }: StoreLocation,
  runId: string,
  append: () => Promise<Recorded | Refused>,
): Promise<Recorded | Refused> {
  const isPushed = async () =>
    store.preview !== undefined && (await (await import("./push-waiting.ts")).pushWaiting(store, runId));
  try {
    const recorded = await append();
    return "refused" in recorded && recorded.refused === "wrong" && (await isPushed())
      ? await append()
      : recorded;
  } catch (error) {
    if (!(error instanceof EmptyLogError && (await isPushed()))) throw error;
    return await append();
  }
}

/** The command line resumes with a separate command, and shows no gates for a branch. */
export const nothing = { refused: "wrong", because: "there is nothing to decide" } as const;

/** Kills what a killed process of an ended run left running. A living process cleans up by itself. */
async function clearOrphans({ store }: StoreLocation, runId: string): Promise<void> {
  try {
    const release = await store.hold(runId);
    killRunOrphans(await store.artifacts(runId));
    await release();
  } catch (error) {
    if (!(error instanceof RunLockedError)) throw error;
  }
}

/** The deciding process may have been killed before the run resumed. */
async function howToContinue(
  { store }: StoreLocation,
  options: CommonOptions,
  runId: string,
): Promise<string> {
  const { session } = await openRun(store, runId);
  const why = await whyResume(store, session, summarizeEvents(session.take()));
  return why === undefined ? "" : `; ${why}: until-green resume ${runId}${storeFlags(options)}`;
}

const waitMs = 100;
const mostWaits = 20;

interface Decided {
  readonly runId: string;
  readonly recorded: Recorded;
}

/** Resumes a decided run unless another process drives it. A process that has just paused it may still be exiting. */
async function resume(
  location: StoreLocation,
  options: CommonOptions,
  { runId, recorded }: Decided,
): Promise<ExitCode> {
  for (let waits = 0; ; waits++) {
    try {
      return await driveRun(location, options, { resume: runId, before: waits === 0 ? recorded.events : [] });
    } catch (error) {
      // Another process has driven it to its end.
      if (error instanceof EndedRunError) return exitOf((await openRun(location.store, runId)).session);
      if (!(error instanceof RunLockedError)) throw error;
      if (!recorded.session.paused || waits === mostWaits) {
        say(`recorded; the process that runs ${runId} continues it\n`);
        return exit.ok;
      }
    }
    await wait(waitMs);
  }
}

/** The person at this terminal. */
export function speaker(): string {
  const text = process.env["UNTIL_GREEN_BY"];
  if (text !== undefined) return text;
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
