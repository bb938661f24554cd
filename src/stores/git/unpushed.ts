import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BrokenLogError } from "../../ports/store.ts";
import { type damagedLog, logFile } from "../log-file.ts";
import { isRunId } from "../run-id.ts";

/** Lines recorded on this machine that the remote does not have yet, and the commit that they follow. */
export interface Pending {
  /** `undefined` before the first commit. */
  readonly base: string | undefined;
  readonly lines: readonly string[];
}

/** Lines that an earlier process of this machine could not push. */
export function readPending(dir: string, runId: string): readonly Pending[] {
  return namesIn(dir).map((name) => ({
    base: name.slice(prefix.length, -suffix.length).replace(nothing, "") || undefined,
    lines: logFile(runId, join(dir, name), damagedPending).read(0),
  }));
}

const damagedPending: typeof damagedLog = ({ runId, path, line }) =>
  new BrokenLogError(
    `what run ${runId} recorded on this machine and never pushed is damaged at line ${line} of ${path}: ` +
      `move this file away; what it held is repeated by: until-green resume ${runId}`,
  );

/** True if an earlier process of this machine left unpushed lines. */
export const hasPending = (dir: string, runId: string): boolean =>
  readPending(dir, runId).some(({ lines }) => lines.length > 0);

/**
 * The pending lines after one commit that the remote lacks, and whether they are next there; if not, another writer
 * came first. None if the remote lacks the commit, as nothing is known about them then.
 */
export function leftAfter(
  there: readonly string[],
  { base, lines }: Pending,
  counts: ReadonlyMap<string, number>,
): { readonly left: readonly string[]; readonly areNext: boolean } {
  const start = base === undefined ? 0 : counts.get(base);
  if (start === undefined) return { left: [], areNext: false };
  const first = lines.findIndex((line, at) => line !== there[start + at]);
  return first < 0
    ? { left: [], areNext: true }
    : { left: lines.slice(first), areNext: start + first === there.length };
}

/** The runs in a folder that have pending lines. */
export function runsWaiting(root: string): readonly string[] {
  const names = readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && isRunId(entry.name),
  );
  return names.map(({ name }) => name).filter((name) => hasPending(join(root, name), name));
}

/** The file for the lines after a commit. */
export const pendingFile = (dir: string, runId: string, base: string | undefined) =>
  logFile(runId, join(dir, nameOf(base)));

/** Rewrites the file with these lines. */
export function rewritePending(
  { dir, runId, base }: { readonly dir: string; readonly runId: string; readonly base: string | undefined },
  lines: readonly string[],
): void {
  const draft = join(dir, "anew.jsonl");
  rmSync(draft, { force: true });
  logFile(runId, draft).append(0, lines);
  renameSync(draft, join(dir, nameOf(base)));
}

/** Forgets the lines pending after one commit: the remote has them. */
export const forgetPending = (dir: string, base: string | undefined): void =>
  rmSync(join(dir, nameOf(base)), { force: true });

/** Forgets the lines pending after other commits: the remote has them now, or the run knows about them. */
export function dropPending(dir: string, base: string | undefined): void {
  for (const name of namesIn(dir)) if (name !== nameOf(base)) rmSync(join(dir, name), { force: true });
}

const prefix = "pending-";
const suffix = ".jsonl";
const nothing = "none";

const nameOf = (base: string | undefined) => `${prefix}${base ?? nothing}${suffix}`;

const namesIn = (dir: string) =>
  readdirSync(dir).filter((name) => name.startsWith(prefix) && name.endsWith(suffix));
