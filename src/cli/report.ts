import { existsSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseLogEvent } from "../engine/log-events.ts";
import type { RunEvent } from "../engine/run-events.ts";
import type { RunSession } from "../engine/session.ts";
import { git } from "../git/git.ts";
import { shellAnswer } from "../ports/shell.ts";
import type { TestInventory } from "../ports/tests.ts";
import { replaceFile } from "../processes/replace-file.ts";
import { html } from "../render/html.ts";
import { runMarkdown } from "../render/run-markdown.ts";
import { openRun } from "../runner/open-run.ts";
import { collectDetails } from "../status/run-details.ts";
import { summarizeEvents } from "../status/run-summary.ts";
import { type ExitCode, exit } from "./exit.ts";
import { findRun } from "./find-run.ts";
import { notWritten } from "./not-written.ts";
import type { CommonOptions } from "./options.ts";
import { print, say } from "./print.ts";
import { asShown, whyResume } from "./resume-hint.ts";
import { findLocation, type StoreLocation } from "./run-environment.ts";
import { storeWithUnpushed } from "./store-with-unpushed.ts";

interface ReportOptions extends CommonOptions {
  readonly format: "markdown" | "html" | "junit";
  readonly out?: string;
}

/** `until-green report`: writes a report of a run to stdout or a file. */
export async function reportCommand(id: string | undefined, options: ReportOptions): Promise<ExitCode> {
  const location = await findLocation({ ...options, forReading: true });
  const runId = await findRun(location.store, id);
  const store = storeWithUnpushed(location.store);
  const { session } = await openRun(store, runId);
  const events = session.take();
  const text =
    options.format === "junit"
      ? await junitOf(events, await store.read(runId))
      : await reportOf(session, events, { ...location, format: options.format });
  writeReport(text, { ...options, cwd: location.cwd });
  return exit.ok;
}

interface ReportTarget {
  readonly out?: string;
  readonly quiet?: boolean;
  readonly cwd: string;
}

/** Writes a report to the named file, or to stdout. */
export function writeReport(text: string, { out, quiet, cwd }: ReportTarget): void {
  if (out === undefined) {
    print(text);
    return;
  }
  try {
    writeInPlace(resolve(cwd, out), text);
  } catch (error) {
    throw notWritten("the report", error, out);
  }
  if (!quiet) say(`${resolve(cwd, out)}\n`);
}

/** An agent may have left a link there that leads to a file of the user. Devices are written directly. */
function writeInPlace(path: string, text: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() ?? true) replaceFile(path, text);
  else writeFileSync(path, text);
}

/** Test names are only in the log. */
async function junitOf(events: readonly RunEvent[], log: readonly string[]): Promise<string> {
  const { junit } = await import("../render/junit.ts");
  const tests = new Map<string, TestInventory>();
  for (const event of log.map(parseLogEvent)) {
    if (event.type !== "need.met" || event.port !== "shell" || !("answer" in event)) continue;
    const answer = shellAnswer.safeParse(event.answer);
    if (answer.data?.tests !== undefined) tests.set(event.path, answer.data.tests);
  }
  return junit(summarizeEvents(events), { ...collectDetails(events), tests });
}

async function reportOf(
  session: RunSession,
  events: readonly RunEvent[],
  { format, ...location }: StoreLocation & { readonly format: "markdown" | "html" },
): Promise<string> {
  const known = summarizeEvents(events);
  const summary = asShown(known, await whyResume(location.store, session, known));
  if (format === "markdown") return runMarkdown(summary);
  return html(summary, { ...collectDetails(events), diffs: await diffsOf(events, location) });
}

/** Nobody would read a longer page. */
const mostDiffs = 50;

/** The changes of each iteration, as far as its snapshots are on this machine and can be read. */
async function diffsOf(
  events: readonly RunEvent[],
  location: StoreLocation,
): Promise<ReadonlyMap<string, string>> {
  const gitDir = join(location.privateDir(events[0]?.run ?? ""), "snapshots.git");
  const diffs = new Map<string, string>();
  if (!existsSync(gitDir)) return diffs;
  for (const event of events) {
    if (event.type !== "iteration.ended" || event.snapshot === undefined || event.since === undefined)
      continue;
    if (diffs.size >= mostDiffs) break;
    const args = [
      "--git-dir",
      gitDir,
      "diff",
      "--no-color",
      "--no-ext-diff",
      "--no-textconv",
      event.since,
      event.snapshot,
    ];
    const { code, out } = await git({ cwd: location.cwd, args, accept: [0, 1, 128] });
    if (code === 0) diffs.set(event.path, Buffer.from(out.slice(0, mostBytes), "latin1").toString("utf8"));
  }
  return diffs;
}

const mostBytes = 200_000;
