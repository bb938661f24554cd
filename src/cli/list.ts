import type { RunEvent } from "../engine/run-events.ts";
import type { LogStore } from "../ports/store.ts";
import { openRun } from "../runner/open-run.ts";
import { headline, totals } from "../status/headline.ts";
import { type Summary, summarizeEvents } from "../status/run-summary.ts";
import { printError } from "./error-message.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { PrintError, print, say, show } from "./print.ts";
import { asShown, whyResume } from "./resume-hint.ts";
import { findLocation } from "./run-environment.ts";
import { storeWithUnpushed } from "./store-with-unpushed.ts";

const runStatus: ReadonlySet<RunEvent["type"]> = new Set([
  "run.started",
  "run.paused",
  "run.resumed",
  "run.ended",
]);

interface ListOptions extends CommonOptions {
  /** Days after their end. */
  readonly prune?: number;
}

const mostRuns = 1_000;

async function prune(store: LogStore, days: number): Promise<void> {
  if (store.prune === undefined)
    throw new UsageError("--prune is for runs kept in a folder or at a git host, not for this --store");
  const endedBefore = new Date(Date.now() - days * 24 * 3_600_000).toISOString();
  const gone = await store.prune({ endedBefore, most: mostRuns });
  say(`${gone.length === 1 ? "1 run" : `${gone.length} runs`} deleted\n`);
}

/** `until-green list`: lists stored runs, newest first; for programs, the last event of each. */
export async function listCommand(options: ListOptions): Promise<ExitCode> {
  const { store } = await findLocation({ ...options, forReading: options.prune === undefined });
  if (options.prune !== undefined) await prune(store, options.prune);
  const ids = await store.list();
  if (ids.length === 0 && !options.json) print("no runs here yet\n");
  await printRuns(store, ids, options);
  return exit.ok;
}

/** A line for each run with its status; for programs, its last event. */
export async function printRuns(
  store: LogStore,
  ids: readonly string[],
  { json = false }: CommonOptions,
): Promise<void> {
  for (const id of ids) {
    try {
      const { session } = await openRun(storeWithUnpushed(store), id);
      const events = session.take();
      const last = events.findLast(({ type }) => runStatus.has(type));
      const summary = summarizeEvents(events);
      const why = await whyResume(store, session, summary);
      if (!json) show(`${runLine(id, summary, why)}\n`);
      else if (last !== undefined) print(`${JSON.stringify(last)}\n`);
    } catch (error) {
      if (error instanceof PrintError) throw error;
      // One damaged run must not hide the others.
      printError(error, { json });
    }
  }
}

/** Its id, status, start and duration. */
function runLine(id: string, summary: Summary, why: string | undefined): string {
  const began = summary.startedAt === undefined ? "" : summary.startedAt.slice(0, 16).replace("T", " ");
  const facts = [`${began} UTC`, ...totals(summary)].join(" · ");
  if (why === undefined) return `${id}  ${headline(summary)}  (${facts})`;
  return `${id}  ${headline(asShown(summary, why))}; ${why}, \`resume\` continues it  (${facts})`;
}
