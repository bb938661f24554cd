import { userInfo } from "node:os";
import { commands } from "../commands/index.ts";
import { RunHeldError } from "../ports/store.ts";
import { decide } from "../runner/decide.ts";
import { driveRun } from "./drive.ts";
import { type ExitCode, exit, exitOf } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { openOutput } from "./output.ts";
import { findPlace } from "./world.ts";

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
  const said = await decide(place.store, runId, (session) => {
    const chosen = commands[name].choose(session, {
      by,
      text,
      step,
      gate,
      since,
      at: new Date().toISOString(),
    });
    // Another writer may come first: the gate meant stays the one first seen.
    if ("record" in chosen) gate = chosen.gate ?? gate;
    return chosen;
  });
  if ("refused" in said) {
    process.stderr.write(`until-green: ${said.because}\n`);
    return said.refused === "late" ? exit.lost : exit.usage;
  }
  const goesOn = (name === "approve" || name === "reject") && !said.session.ended;
  if (!goesOn) {
    const output = openOutput(options);
    for (const event of said.told) output.tell(event);
    output.end();
    return name === "tell" ? exit.ok : exitOf(said.session);
  }
  try {
    return await driveRun(place, options, { resume: runId, before: said.told });
  } catch (error) {
    if (!(error instanceof RunHeldError)) throw error;
    process.stderr.write(`recorded; the process that drives ${runId} goes on with it\n`);
    return exit.ok;
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
