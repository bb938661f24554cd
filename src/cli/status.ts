import { observe, startSummary } from "../report/summary.ts";
import { closingTable } from "../report/table.ts";
import { openRun } from "../runner/log.ts";
import { type ExitCode, exit } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { findPlace } from "./world.ts";

/** `until-green status`: how a run stands, from its log. */
export async function statusCommand(runId: string, options: CommonOptions): Promise<ExitCode> {
  const { store } = await findPlace(options);
  const { session } = await openRun(store, runId);
  const events = session.take();
  if (options.json) {
    for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
    return exit.ok;
  }
  process.stdout.write(`${closingTable(events.reduce(observe, startSummary()))}\n`);
  for (const { message } of session.gates()) process.stdout.write(`\n${message}\n`);
  return exit.ok;
}
