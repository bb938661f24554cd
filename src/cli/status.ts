import { EmptyLogError } from "../engine/advance.ts";
import type { Session } from "../engine/session.ts";
import type { LogStore } from "../ports/store.ts";
import { summarise } from "../report/summary.ts";
import { closingTable } from "../report/table.ts";
import { itemsOf, openRun } from "../runner/log.ts";
import { type ExitCode, exit } from "./exit.ts";
import { printRuns } from "./list.ts";
import type { CommonOptions } from "./options.ts";
import { print } from "./print.ts";
import { whereWords } from "./where.ts";
import { whyResume } from "./why-resume.ts";
import { findPlace } from "./world.ts";

/** `until-green status`: how a run stands, from its log; of one that is spread over jobs, how each item does. */
export async function statusCommand(runId: string, options: CommonOptions): Promise<ExitCode> {
  const { store } = await findPlace(options);
  try {
    const { session } = await openRun(store, runId);
    await printRun(store, session, options);
  } catch (error) {
    const items = error instanceof EmptyLogError ? await itemsOf(store, runId) : [];
    if (items.length === 0) throw error;
    await printRuns(store, items, options);
  }
  return exit.ok;
}

async function printRun(store: LogStore, session: Session, options: CommonOptions): Promise<void> {
  const events = session.take();
  if (options.json) {
    for (const event of events) print(`${JSON.stringify(event)}\n`);
    return;
  }
  const summary = summarise(events);
  print(`${closingTable(summary)}\n`);
  const why = await whyResume(store, session, summary);
  if (why !== undefined) {
    const how = `until-green resume ${session.facts.run}${whereWords(options)}`;
    print(`\n${why.replace(/^i/, "I")}. To go on: ${how}\n`);
  }
  const gates = session.gates();
  for (const { path, message } of gates) print(`\n${gates.length > 1 ? `Gate ${path}\n` : ""}${message}\n`);
  if (gates.length > 1) print("\nThe first gate is answered, or the one that --gate PATH names.\n");
}
