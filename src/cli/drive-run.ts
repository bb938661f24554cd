import { constants } from "node:os";
import type { RunEvent } from "../engine/run-events.ts";
import { preloadChunks } from "../local/preload-chunks.ts";
import { listenForStop } from "../local/stop-signal.ts";
import { DiskFault } from "../ports/disk-fault.ts";
import type { IsolationMode } from "../ports/isolation.ts";
import type { NetworkRule } from "../ports/network.ts";
import { refuseWithout } from "../processes/isolation.ts";
import { EnvironmentError } from "../runner/perform-effect.ts";
import { redact } from "../runner/redact.ts";
import { type ResumeOptions, resume, start } from "../runner/run.ts";
import { traceRun } from "../telemetry/trace-run.ts";
import { type ExitCode, exit, exitOf } from "./exit.ts";
import { type EmittedSoFar, followEmitted, rememberLog } from "./lost-log.ts";
import { ourEnvironment, ourSecrets } from "./model-keys.ts";
import type { CommonOptions } from "./options.ts";
import { openOutput } from "./output.ts";
import { localEnvironment, notice, type StoreLocation } from "./run-environment.ts";
import { whereStarted } from "./run-folder.ts";
import { storeFlags } from "./store-flags.ts";

interface DriveOptions extends CommonOptions {
  readonly maxMinutes?: number;
  /** In milliseconds. */
  readonly patience?: number;
  readonly isolation?: IsolationMode;
  /** Additional arguments for agent programs. */
  readonly agentArgs?: readonly string[];
  readonly network?: NetworkRule;
  readonly show?: readonly string[];
  readonly write?: readonly string[];
}

type DrivenWork =
  | { readonly begin: Parameters<typeof start>[0] }
  | ({ readonly resume: string; readonly before?: readonly RunEvent[] } & Pick<
      ResumeOptions,
      "assertResumable"
    >);

/** Starts or resumes a run in this process, shows its progress, and returns its exit code. */
export async function driveRun(
  target: StoreLocation,
  options: DriveOptions,
  work: DrivenWork,
): Promise<ExitCode> {
  await preloadChunks();
  const location = "resume" in work ? await whereStarted(target, work.resume, options) : target;
  const output = openOutput(options);
  const emitted = followEmitted();
  const clean = (text: string) => redact(text, ourSecrets());
  const trace = await traceRun({ environment: ourEnvironment(), clean, notice });
  const followed = {
    ...output,
    recall(events: readonly RunEvent[]) {
      trace.recall(events);
      output.recall(events);
    },
    emit(event: RunEvent) {
      emitted.seen(event);
      trace.emit(event);
      output.emit(event);
    },
  };
  const log = rememberLog(location.store);
  const environment = localEnvironment({ ...location, store: log.store }, followed, options);
  // Before anything costs money or is recorded.
  if (options.isolation === "required") refuseWithout(await environment.isolation.walls());
  const limit = listenForStop(options.maxMinutes, (signal) => process.exit(128 + constants.signals[signal]));
  try {
    if ("resume" in work) for (const event of work.before ?? []) output.emit(event);
    const { patience } = options;
    const limits = { timeLimit: limit.signal, ...(patience === undefined ? {} : { patienceMs: patience }) };
    const session =
      "begin" in work
        ? await start(work.begin, environment, limits)
        : await resume(work.resume, environment, { ...limits, assertResumable: work.assertResumable });
    await output.close(session.facts.run);
    return exitOf(session);
  } catch (error) {
    const lost = await emitted.endedBy(error, log);
    if (lost !== undefined) {
      output.emit(lost);
      await output.close();
      return exit.failed;
    }
    throw withResumeHint(error, options, runToResume(work, emitted));
  } finally {
    limit.disarm();
    limit.leave();
    output.end();
    await trace.end();
    const refused = environment.isolation.refusedHosts();
    if (refused.length > 0)
      environment.notice?.(
        `programs could not reach these hosts: ${refused.join(", ")}; add those that they need to \`network\``,
      );
  }
}

/** The run; `undefined` if nothing of it is recorded yet. */
function runToResume(work: DrivenWork, emitted: EmittedSoFar): string | undefined {
  if ("resume" in work) return work.resume;
  return emitted.isBegun() ? work.begin.facts.run : undefined;
}

/** An error that the user can fix, with the command to continue. */
function withResumeHint(error: unknown, options: DriveOptions, runId: string | undefined): unknown {
  if (runId === undefined || options.store === "memory") return error;
  const how = `until-green resume ${runId}${storeFlags(options)}`;
  if (error instanceof DiskFault) return new DiskFault(`${error.message}: ${how}`, error.code, error);
  if (!(error instanceof EnvironmentError)) return error;
  const then = error.cause instanceof DiskFault ? ": " : "; once this is fixed, continue with: ";
  return new EnvironmentError(`${error.message}${then}${how}`, { cause: error });
}
