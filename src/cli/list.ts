import type { ToldEvent } from "../engine/told.ts";
import type { LogStore } from "../ports/store.ts";
import { headline } from "../report/headline.ts";
import { summarise } from "../report/summary.ts";
import { openRun } from "../runner/log.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { explain } from "./explain.ts";
import type { CommonOptions } from "./options.ts";
import { PrintError, print, say } from "./print.ts";
import { whyResume } from "./why-resume.ts";
import { findPlace } from "./world.ts";

const standing: ReadonlySet<ToldEvent["type"]> = new Set([
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
    throw new UsageError("--prune is for runs kept at a git host: give --store git, or delete their folders");
  const endedBefore = new Date(Date.now() - days * 24 * 3_600_000).toISOString();
  const gone = await store.prune({ endedBefore, most: mostRuns });
  say(`${gone.length === 1 ? "1 run" : `${gone.length} runs`} deleted\n`);
}

/** `until-green list`: the runs kept here, newest first; for programs, the last word on each. */
export async function listCommand(options: ListOptions): Promise<ExitCode> {
  const { store } = await findPlace(options);
  if (options.prune !== undefined) await prune(store, options.prune);
  const ids = await store.list();
  if (ids.length === 0 && !options.json) print("no runs here yet\n");
  await printRuns(store, ids, options);
  return exit.ok;
}

/** A line for each run: how it stands; for programs, the last word on it. */
export async function printRuns(
  store: LogStore,
  ids: readonly string[],
  { json = false }: CommonOptions,
): Promise<void> {
  for (const id of ids) {
    try {
      const { session } = await openRun(store, id);
      const events = session.take();
      const last = events.findLast(({ type }) => standing.has(type));
      const summary = summarise(events);
      const why = await whyResume(store, session, summary);
      if (!json)
        print(`${id}  ${headline(summary)}${why === undefined ? "" : `; ${why}, \`resume\` goes on`}\n`);
      else if (last !== undefined) print(`${JSON.stringify(last)}\n`);
    } catch (error) {
      if (error instanceof PrintError) throw error;
      // One damaged run must not hide the others.
      explain(error, { json });
    }
  }
}
