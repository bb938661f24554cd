import type { ToldEvent } from "../engine/told.ts";
import { headline } from "../report/headline.ts";
import { summarise } from "../report/summary.ts";
import { openRun } from "../runner/log.ts";
import { type ExitCode, exit } from "./exit.ts";
import { explain } from "./explain.ts";
import type { CommonOptions } from "./options.ts";
import { findPlace } from "./world.ts";

const standing: ReadonlySet<ToldEvent["type"]> = new Set([
  "run.started",
  "run.paused",
  "run.resumed",
  "run.ended",
]);

/** `until-green list`: the runs kept here, newest first; for programs, the last word on each. */
export async function listCommand(options: CommonOptions): Promise<ExitCode> {
  const { store } = await findPlace(options);
  const ids = await store.list();
  if (ids.length === 0 && !options.json) process.stdout.write("no runs here yet\n");
  for (const id of ids) {
    try {
      const { session } = await openRun(store, id);
      const events = session.take();
      const last = events.findLast(({ type }) => standing.has(type));
      if (!options.json) process.stdout.write(`${id}  ${headline(summarise(events))}\n`);
      else if (last !== undefined) process.stdout.write(`${JSON.stringify(last)}\n`);
    } catch (error) {
      // One damaged run must not hide the others.
      explain(error, { json: options.json === true });
    }
  }
  return exit.ok;
}
