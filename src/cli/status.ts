import { observe, startSummary } from "../report/summary.ts";
import { closingTable } from "../report/table.ts";
import { openRun } from "../runner/log.ts";
import { isCutOff } from "./cut-off.ts";
import { type ExitCode, exit } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { print } from "./print.ts";
import { whereWords } from "./where.ts";
import { findPlace } from "./world.ts";

/** `until-green status`: how a run stands, from its log. */
export async function statusCommand(runId: string, options: CommonOptions): Promise<ExitCode> {
  const { store } = await findPlace(options);
  const { session } = await openRun(store, runId);
  const events = session.take();
  if (options.json) {
    for (const event of events) print(`${JSON.stringify(event)}\n`);
    return exit.ok;
  }
  print(`${closingTable(events.reduce(observe, startSummary()))}\n`);
  if (await isCutOff(store, session))
    print(`\nIts process was killed. To go on: until-green resume ${runId}${whereWords(options)}\n`);
  const gates = session.gates();
  for (const { path, message } of gates) print(`\n${gates.length > 1 ? `Gate ${path}\n` : ""}${message}\n`);
  if (gates.length > 1) print("\nThe first gate is answered, or the one that --gate PATH names.\n");
  return exit.ok;
}
