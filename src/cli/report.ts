import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { html } from "../report/html.ts";
import { page } from "../report/page.ts";
import { summarise } from "../report/summary.ts";
import { openRun } from "../runner/log.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { print, say } from "./print.ts";
import { findPlace } from "./world.ts";

interface ReportOptions extends CommonOptions {
  readonly format: "markdown" | "html";
  readonly out?: string;
}

/** `until-green report`: a run as a page, to standard output or a file. */
export async function reportCommand(runId: string, options: ReportOptions): Promise<ExitCode> {
  const { store, cwd } = await findPlace(options);
  const { session } = await openRun(store, runId);
  const summary = summarise(session.take());
  const text = options.format === "html" ? html(summary) : page(summary);
  if (options.out === undefined) {
    print(text);
    return exit.ok;
  }
  try {
    writeFileSync(resolve(cwd, options.out), text);
  } catch (error) {
    throw new UsageError(`the report cannot be written: ${(error as Error).message}`);
  }
  if (!options.quiet) say(`${resolve(cwd, options.out)}\n`);
  return exit.ok;
}
