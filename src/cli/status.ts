import { EmptyLogError } from "../engine/replay.ts";
import type { RunSession } from "../engine/session.ts";
import type { LogStore } from "../ports/store.ts";
import { closingTable } from "../render/text-table.ts";
import { itemsOf, openRun } from "../runner/open-run.ts";
import { summarizeEvents } from "../status/run-summary.ts";
import { type ExitCode, exit } from "./exit.ts";
import { findRun } from "./find-run.ts";
import { printRuns } from "./list.ts";
import type { CommonOptions } from "./options.ts";
import { print, show } from "./print.ts";
import { asShown, isInterrupted, whyResume } from "./resume-hint.ts";
import { findLocation } from "./run-environment.ts";
import { storeFlags } from "./store-flags.ts";
import { storeWithUnpushed } from "./store-with-unpushed.ts";

// In one chunk with `status`, because both draw tables: otherwise each start would read one more file.
export { statsCommand } from "./stats.ts";

/** `until-green status`: the status of a run from its log; of a spread run, the status of each item. */
export async function statusCommand(id: string | undefined, options: CommonOptions): Promise<ExitCode> {
  const { store } = await findLocation({ ...options, forReading: true });
  const runId = await findRun(store, id);
  try {
    const { session } = await openRun(storeWithUnpushed(store), runId);
    await printRun(store, session, options);
  } catch (error) {
    const items = error instanceof EmptyLogError ? await itemsOf(store, runId) : [];
    if (items.length === 0) throw error;
    await printRuns(store, items, options);
  }
  return exit.ok;
}

async function printRun(store: LogStore, session: RunSession, options: CommonOptions): Promise<void> {
  const events = session.take();
  if (options.json) {
    for (const event of events) print(`${JSON.stringify(event)}\n`);
    return;
  }
  const summary = summarizeEvents(events);
  const why = await whyResume(store, session, summary);
  show(`${closingTable(asShown(summary, why), process.stdout.columns)}\n`);
  const how = `until-green resume ${session.facts.run}${storeFlags(options)}`;
  if (why !== undefined) show(`\n${why.replace(/^i/, "I")}. To continue: ${how}\n`);
  else if (isInterrupted(summary)) show(`\nTo continue: ${how}\n`);
  const gates = session.gates();
  for (const { path, message } of gates) show(`\n${gates.length > 1 ? `Gate ${path}\n` : ""}${message}\n`);
  if (gates.length > 1) show("\nThis answers the first gate, or the one named by --gate PATH.\n");
}
