import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { logFile } from "../log-file.ts";

/** Lines recorded on this machine that the remote has not got yet, and the commit they come after. */
export interface Pending {
  /** `undefined` before the first commit. */
  readonly base: string | undefined;
  readonly lines: readonly string[];
}

/** What an earlier process of this machine could not push any more. */
export function readPending(dir: string, runId: string): readonly Pending[] {
  return namesIn(dir).map((name) => ({
    base: name.slice(prefix.length, -suffix.length).replace(nothing, "") || undefined,
    lines: logFile(runId, join(dir, name)).read(0),
  }));
}

/** Whether an earlier process of this machine left something. */
export const hasPending = (dir: string, runId: string): boolean =>
  readPending(dir, runId).some(({ lines }) => lines.length > 0);

/** The file that takes the lines after a commit. */
export const pendingFile = (dir: string, runId: string, base: string | undefined) =>
  logFile(runId, join(dir, nameOf(base)));

/** The same file anew, with these lines. */
export function rewritePending(
  { dir, runId, base }: { readonly dir: string; readonly runId: string; readonly base: string | undefined },
  lines: readonly string[],
): void {
  const anew = join(dir, "anew.jsonl");
  rmSync(anew, { force: true });
  logFile(runId, anew).append(0, lines);
  renameSync(anew, join(dir, nameOf(base)));
}

/** Forgets what was waiting behind other commits than this one: the remote has it now, or the run has been told. */
export function dropPending(dir: string, base: string | undefined): void {
  for (const name of namesIn(dir)) if (name !== nameOf(base)) rmSync(join(dir, name), { force: true });
}

const prefix = "pending-";
const suffix = ".jsonl";
const nothing = "none";

const nameOf = (base: string | undefined) => `${prefix}${base ?? nothing}${suffix}`;

const namesIn = (dir: string) =>
  readdirSync(dir).filter((name) => name.startsWith(prefix) && name.endsWith(suffix));
