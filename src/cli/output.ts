import type { ToldEvent } from "../engine/told.ts";
import { observe, startSummary } from "../report/summary.ts";
import { closingTable } from "../report/table.ts";
import type { CommonOptions } from "./options.ts";
import { print, say } from "./print.ts";
import { openProgress } from "./progress.ts";
import { whereWords } from "./where.ts";

/** Where a run's events go: NDJSON for programs on standard output, progress for people on standard error. */
export interface Output {
  tell(event: ToldEvent): void;
  recall(events: readonly ToldEvent[]): void;
  onText(path: string, text: string): void;
  /** The closing table, once the run stands still. */
  close(runId: string): void;
  /** Gives the terminal back. */
  end(): void;
}

export function openOutput(options: CommonOptions): Output {
  const { json, quiet, store } = options;
  const progress = quiet ? undefined : openProgress(toPeople);
  const where = whereWords(options);
  let summary = startSummary();
  return {
    tell(event) {
      if (json) print(`${JSON.stringify(event)}\n`);
      summary = observe(summary, event);
      progress?.tell(event);
    },
    recall(events) {
      summary = events.reduce(observe, startSummary());
    },
    onText: (path, text) => progress?.onText(path, text),
    close(runId) {
      if (quiet) return;
      progress?.end();
      const table = closingTable(summary);
      if (table !== "") say(`\n${table}\n`);
      // Of a run that is gone with this process nobody can ask for more.
      if (store === "memory") return;
      say(`\nreport: until-green report ${runId}${where}\n`);
      if (summary.state === "paused" && where !== "") say(`with the commands above, say${where}\n`);
    },
    end: () => progress?.end(),
  };
}

const toPeople = {
  write: say,
  get isTTY() {
    return process.stderr.isTTY && process.env["TERM"] !== "dumb";
  },
  get columns() {
    return process.stderr.columns;
  },
};
