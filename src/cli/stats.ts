import type { LogStore } from "../ports/store.ts";
import { statsPage, statsText } from "../render/run-stats.ts";
import { openRun } from "../runner/open-run.ts";
import { runStats } from "../status/run-stats.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import { type Summary, summarizeEvents } from "../status/run-summary.ts";
import { type ExitCode, exit } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";
import { writeReport } from "./report.ts";
import { findLocation } from "./run-environment.ts";
import { storeWithUnpushed } from "./store-with-unpushed.ts";

interface StatsOptions extends CommonOptions {
  readonly format: "text" | "html";
  readonly out?: string;
}

/** `until-green stats`: figures over all runs kept here. */
export async function statsCommand(options: StatsOptions): Promise<ExitCode> {
  const { store, cwd } = await findLocation({ ...options, forReading: true });
  const { summaries, unread } = await summariesOf(store);
  const stats = runStats(summaries);
  if (unread > 0) say(`${unread} runs cannot be read and are left out\n`);
  const text = options.json
    ? `${JSON.stringify(stats)}\n`
    : options.format === "html"
      ? statsPage(stats)
      : summaries.length === 0
        ? "no runs here yet\n"
        : `${statsText(stats)}\n`;
  writeReport(text, { ...options, cwd });
  return exit.ok;
}

interface ReadSummaries {
  readonly summaries: readonly Summary[];
  readonly unread: number;
}

/** A git host returns the newest status of all runs at once; for other stores, the logs are read. */
async function summariesOf(store: LogStore): Promise<ReadSummaries> {
  if (store.survey !== undefined) {
    const statuses = await store.survey();
    const summaries = statuses.flatMap((status) => parseRunStatus(status)?.summary ?? []);
    return { summaries, unread: statuses.length - summaries.length };
  }
  const summaries: Summary[] = [];
  const ids = await store.list();
  for (const id of ids) {
    const summary = await openRun(storeWithUnpushed(store), id).then(
      ({ session }) => summarizeEvents(session.take()),
      () => undefined,
    );
    if (summary !== undefined) summaries.push(summary);
  }
  return { summaries, unread: ids.length - summaries.length };
}
