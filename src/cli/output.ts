import { writeSync } from "node:fs";
import type { ToldEvent } from "../engine/told.ts";
import { observe, startSummary } from "../report/summary.ts";
import { closingTable } from "../report/table.ts";
import { openProgress } from "./progress.ts";

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

export function openOutput({ json, quiet }: { readonly json?: boolean; readonly quiet?: boolean }): Output {
  const progress = quiet ? undefined : openProgress(process.stderr);
  let summary = startSummary();
  return {
    tell(event) {
      if (json) writeAll(1, `${JSON.stringify(event)}\n`);
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
      const gap = table === "" ? "" : `\n${table}\n`;
      writeAll(2, `${gap}\nreport: until-green report ${runId}\n`);
    },
    end: () => progress?.end(),
  };
}

/** Writes at once and whole, so that an event told is an event printed even if the process is killed next. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      // The reader is slow, or has gone: wait for the one, do not fail the run for the other.
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
