import { setTimeout as wait } from "node:timers/promises";
import type { RunEvent } from "../engine/run-events.ts";
import { didYouMean } from "../ports/nearest-word.ts";
import { openRunLog } from "../render/run-log.ts";
import { openRun } from "../runner/open-run.ts";
import { summarizeEvents } from "../status/run-summary.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { findRun } from "./find-run.ts";
import type { CommonOptions } from "./options.ts";
import { print, say, show } from "./print.ts";
import { whyResume } from "./resume-hint.ts";
import { findLocation } from "./run-environment.ts";
import { storeFlags } from "./store-flags.ts";

interface LogsOptions extends CommonOptions {
  readonly iteration?: number;
  readonly node?: string;
  readonly follow?: boolean;
}

/** Lists the available iterations and nodes instead of showing nothing. */
function refuseUnknown(runId: string, events: readonly RunEvent[], { iteration, node }: LogsOptions): void {
  const started = events.filter((event) => event.type === "iteration.started");
  const last = Math.max(0, ...started.map(({ number }) => number));
  if (iteration !== undefined && iteration > last) {
    const has = last === 0 ? "none has started" : `it has ${last === 1 ? "1" : `1 to ${last}`}`;
    throw new UsageError(`${runId} has no iteration ${iteration}; ${has}`);
  }
  const nodes = new Set(events.flatMap((event) => ("node" in event && event.node ? [event.node] : [])));
  if (node !== undefined && !nodes.has(node))
    throw new UsageError(`${runId} has no node ${node}; ${didYouMean(node, [...nodes])}`);
}

/** How often a followed run is read, in milliseconds. */
const pace = 1_000;

/**
 * `until-green logs`: shows the messages of agents and the output of checks; with `--follow`, until the run ends or
 * pauses.
 */
export async function logsCommand(id: string | undefined, options: LogsOptions): Promise<ExitCode> {
  const { store } = await findLocation(options);
  const runId = await findRun(store, id);
  const log = openRunLog((line) => show(`${line}\n`), options);
  let shown = 0;
  for (;;) {
    const { session } = await openRun(store, runId);
    const events = session.take();
    for (const event of events.slice(shown)) {
      if (options.json) print(`${JSON.stringify(event)}\n`);
      else log.add(event);
    }
    shown = events.length;
    if (!options.follow || session.ended) refuseUnknown(runId, events, options);
    if (!options.follow || session.ended || session.paused) return exit.ok;
    const why = await whyResume(store, session, summarizeEvents(events));
    // A process that has just ended wrote its last events before it released the run.
    if (why !== undefined && (await openRun(store, runId)).session.take().length === shown) {
      say(`${why.replace(/^i/, "I")}. To continue: until-green resume ${runId}${storeFlags(options)}\n`);
      return exit.ok;
    }
    await wait(pace);
  }
}
