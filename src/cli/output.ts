import type { RunEvent } from "../engine/run-events.ts";
import type { LiveEvent } from "../ports/live-event.ts";
import { toArray } from "../status/bounded-list.ts";
import { applyEvent, type Summary, startSummary } from "../status/run-summary.ts";
import type { CommonOptions } from "./options.ts";
import { print, say } from "./print.ts";
import { openProgress } from "./progress.ts";
import { isInterrupted } from "./resume-hint.ts";
import { storeFlags } from "./store-flags.ts";

/** Prints a run's events: as NDJSON on stdout for programs, as progress on stderr for people. */
export interface Output {
  emit(event: RunEvent): void;
  recall(events: readonly RunEvent[]): void;
  live(event: LiveEvent): void;
  /** Prints the closing table once the run has ended or paused; `runId` if there is a log to report from. */
  close(runId?: string): Promise<void>;
  /** Restores the terminal. */
  end(): void;
}

export function openOutput(options: CommonOptions): Output {
  const { json, quiet, store } = options;
  const progress = quiet ? undefined : openProgress(toPeople);
  const where = storeFlags(options);
  let summary = startSummary();
  let seq = 0;
  return {
    emit(event) {
      if (json) print(`${JSON.stringify(event)}\n`);
      seq = event.seq;
      summary = applyEvent(summary, event);
      progress?.emit(event);
    },
    recall(events) {
      seq = events.at(-1)?.seq ?? 0;
      summary = events.reduce(applyEvent, startSummary());
      progress?.recall(events);
    },
    live(event) {
      // Not recorded, so it repeats the number of the last recorded event.
      if (json) print(`${JSON.stringify({ v: 1, seq, run: summary.run, ...event })}\n`);
      progress?.live(event);
    },
    async close(runId) {
      if (quiet) return;
      progress?.end();
      // Loaded only now: a run must start fast.
      const { closingTable } = await import("../render/text-table.ts");
      const table = closingTable(summary, process.stderr.columns);
      if (table !== "") say(`\n${table}\n`);
      // A run in memory has no log after this process.
      if (store === "memory" || runId === undefined) return;
      say(`\nreport: until-green report ${runId}${where}\n`);
      if (hasChanges(summary)) say(`changes: until-green diff ${runId}${where}\n`);
      if (isInterrupted(summary)) say(`resume: until-green resume ${runId}${where}\n`);
      if (summary.state === "paused" && where !== "") say(`approve, reject and cancel need${where} too\n`);
    },
    end: () => progress?.end(),
  };
}

const hasChanges = ({ loops }: Summary) =>
  toArray(loops).some(({ rows }) => toArray(rows).some(({ diff }) => (diff?.files ?? 0) > 0));

const toPeople = {
  write: say,
  get isTTY() {
    return process.stderr.isTTY && process.env["TERM"] !== "dumb";
  },
  get columns() {
    return process.stderr.columns;
  },
};
