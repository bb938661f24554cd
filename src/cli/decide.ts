import { userInfo } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { reapRun } from "../adapters/process-group.ts";
import { commands } from "../commands/index.ts";
import { RunHeldError } from "../ports/store.ts";
import { followRun } from "../report/follow.ts";
import { readStanding } from "../report/standing-schema.ts";
import { decide, type Recorded } from "../runner/decide.ts";
import { openRun } from "../runner/log.ts";
import { redact } from "../runner/redact.ts";
import { EndedRunError } from "../runner/run.ts";
import { driveRun } from "./drive.ts";
import { type ExitCode, exit, exitOf, LateError, UsageError } from "./exit.ts";
import { ourSecrets } from "./keys.ts";
import type { CommonOptions } from "./options.ts";
import { openOutput } from "./output.ts";
import { say } from "./print.ts";
import { findPlace, type Place } from "./world.ts";

interface Decision {
  readonly name: keyof typeof commands;
  readonly runId: string;
  readonly text: string;
  readonly step?: string;
  readonly options: CommonOptions & { readonly gate?: string };
}

/** `approve`, `reject`, `cancel`, `tell`: puts what somebody says on record and, where that opens the way, goes on. */
export async function decideCommand({ name, runId, text, step, options }: Decision): Promise<ExitCode> {
  const place = await findPlace(options);
  const by = process.env["UNTIL_GREEN_BY"] ?? userName();
  let gate = options.gate;
  const since = new Date(performance.timeOrigin).toISOString();
  const before = readStanding(await place.store.standing?.(runId));
  const { standing } = followRun({ before });
  const said = await decide({ store: place.store, standing }, runId, (session) => {
    const chosen = commands[name].choose(session, {
      by,
      text: redact(text, ourSecrets()),
      step,
      gate,
      since,
      at: new Date().toISOString(),
    });
    if ("refused" in chosen) return chosen;
    // Another writer may come first: the gate meant stays the one first seen.
    gate = chosen.gate ?? gate;
    return chosen;
  });
  if ("refused" in said) throw new (said.refused === "late" ? LateError : UsageError)(said.because);
  const goesOn = (name === "approve" || name === "reject") && !said.session.ended;
  if (!goesOn) {
    const output = openOutput(options);
    for (const event of said.told) output.tell(event);
    output.end();
    if (said.session.ended) await clearOrphans(place, runId);
    return name === "tell" ? exit.ok : exitOf(said.session);
  }
  return await goOn(place, options, { runId, said });
}

/** Ends what a killed process left running for a run that is over now; a living one ends its own. */
async function clearOrphans({ store }: Place, runId: string): Promise<void> {
  try {
    const release = await store.hold(runId);
    reapRun(await store.artifacts(runId));
    await release();
  } catch (error) {
    if (!(error instanceof RunHeldError)) throw error;
  }
}

const waitMs = 100;
const mostWaits = 20;

interface Decided {
  readonly runId: string;
  readonly said: Recorded;
}

/** Goes on with a decided run, unless another process does: one that has just paused it may still be on its way out. */
async function goOn(place: Place, options: CommonOptions, { runId, said }: Decided): Promise<ExitCode> {
  for (let waits = 0; ; waits++) {
    try {
      return await driveRun(place, options, { resume: runId, before: waits === 0 ? said.told : [] });
    } catch (error) {
      // Another process has gone on with it, to its end.
      if (error instanceof EndedRunError) return exitOf((await openRun(place.store, runId)).session);
      if (!(error instanceof RunHeldError)) throw error;
      if (!said.session.resting || waits === mostWaits) {
        say(`recorded; the process that drives ${runId} goes on with it\n`);
        return exit.ok;
      }
    }
    await wait(waitMs);
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
