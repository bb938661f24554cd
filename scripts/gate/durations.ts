/**
 * How long each test file takes, so that workers and shards get the same work. `npm run durations` writes
 * `test/durations.json` from the reports of the last gate here. @module
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readReports } from "./reports.ts";

const root = resolve(import.meta.dirname, "../..");
const file = join(root, "test/durations.json");

/** Where a gate leaves its reports, one folder a step. */
export const reportsFolder = join(root, ".until-green/gate");

interface Durations {
  /** The commit of the last green gate that was recorded. */
  readonly green?: string;
  /** Seconds, by test file. */
  readonly seconds: Readonly<Record<string, number>>;
}

export const durations: Durations = existsSync(file)
  ? JSON.parse(readFileSync(file, "utf8"))
  : { seconds: {} };

if (import.meta.main) {
  const steps = readdirSync(reportsFolder).filter((name) => /^\d+$/.test(name));
  const measured = steps.flatMap((step) => [...readReports(join(reportsFolder, step), root)]);
  const seconds = new Map(Object.entries(durations.seconds).filter(([name]) => existsSync(join(root, name))));
  for (const [name, { startTime, endTime }] of measured)
    seconds.set(name, Math.round((endTime - startTime) / 100) / 10);
  const isGreen = existsSync(join(reportsFolder, "green"));
  const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const written = {
    ...(isGreen ? { green: head } : durations.green === undefined ? {} : { green: durations.green }),
    // Of shorter files the order does not matter.
    seconds: Object.fromEntries(
      [...seconds].filter(([, each]) => each >= 1).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
  writeFileSync(file, `${JSON.stringify(written, undefined, 2)}\n`);
}
