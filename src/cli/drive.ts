import { constants } from "node:os";
import { holdParts } from "../adapters/held-parts.ts";
import { listenForStop } from "../adapters/stop-signal.ts";
import type { Session } from "../engine/session.ts";
import type { ToldEvent } from "../engine/told.ts";
import { BrokenWorldError } from "../runner/meet.ts";
import { resume, start } from "../runner/run.ts";
import type { World } from "../runner/world.ts";
import { type ExitCode, exitOf } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { openOutput } from "./output.ts";
import { whereWords } from "./where.ts";
import { localWorld, type Place } from "./world.ts";

interface DriveOptions extends CommonOptions {
  readonly maxMinutes?: number;
}

/** Begins or resumes a run in this process, shows its progress, and answers with its exit code. */
export async function driveRun(
  place: Place,
  options: DriveOptions,
  work:
    | { readonly begin: Parameters<typeof start>[0] }
    | { readonly resume: string; readonly before?: readonly ToldEvent[] },
): Promise<ExitCode> {
  await holdParts();
  const output = openOutput(options);
  const world = localWorld(place, output);
  const limit = listenForStop(options.maxMinutes, (signal) => process.exit(128 + constants.signals[signal]));
  try {
    if ("resume" in work) for (const event of work.before ?? []) output.tell(event);
    const session = await driven(world, work, limit.signal);
    output.close(session.facts.run);
    return exitOf(session);
  } catch (error) {
    if (!(error instanceof BrokenWorldError) || options.store === "memory") throw error;
    const runId = "resume" in work ? work.resume : work.begin.facts.run;
    const how = `until-green resume ${runId}${whereWords(options)}`;
    throw new BrokenWorldError(`${error.message}; then go on with: ${how}`, { cause: error });
  } finally {
    limit.disarm();
    limit.leave();
    output.end();
  }
}

const driven = (
  world: World,
  work: Parameters<typeof driveRun>[2],
  timeLimit: AbortSignal,
): Promise<Session> =>
  "begin" in work ? start(work.begin, world, { timeLimit }) : resume(work.resume, world, { timeLimit });
