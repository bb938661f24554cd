import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Remote, UnreachableError } from "../../git/remote.ts";
import { isRunId } from "../run-id.ts";
import { listRuns } from "./list.ts";
import type { OpenGitRun } from "./open-run.ts";
import { fetchNewCommits, readKnownCommits, tipFile } from "./run-refs.ts";
import { leftAfter, readPending, runsWaiting } from "./unpushed.ts";

/** Asks the host, or falls back to what this machine knows. */
export type AskOrKnown = <T>(ask: () => Promise<T>, known: () => Promise<T | undefined>) => Promise<T>;

/**
 * For commands that only show runs. Once the host was unreachable, it is not asked again. Without `notice`, an
 * unreachable host is an error.
 */
export function askOrKnown(notice: ((text: string) => void) | undefined): AskOrKnown {
  let gone: UnreachableError | undefined;
  return async (ask, known) => {
    try {
      if (gone !== undefined) throw gone;
      return await ask();
    } catch (error) {
      if (notice === undefined || !(error instanceof UnreachableError)) throw error;
      const shown = await known();
      if (shown === undefined) throw error;
      if (gone === undefined) notice(`${error.what}; this is what this machine knows`);
      gone = error;
      return shown;
    }
  };
}

/** The ids of all runs, newest first. A run that was killed before its first push is known only on this machine. */
export async function listAll(
  [remote, gitDir]: readonly [Remote, string],
  folder: string,
  ask: AskOrKnown,
): Promise<readonly string[]> {
  const waiting = () => runsWaiting(folder);
  const there = await ask(
    () => listRuns(remote, gitDir),
    async () => {
      const known = runsKnown(folder);
      return known.length + waiting().length === 0 ? undefined : known;
    },
  );
  return [...waiting().filter((id) => !there.includes(id)), ...there];
}

/** The runs that this machine has seen at the host, the most recent first. */
function runsKnown(folder: string): readonly string[] {
  const seen = readdirSync(folder).flatMap((id) => {
    const file = tipFile(join(folder, id));
    return isRunId(id) && existsSync(file) ? [{ id, at: statSync(file).mtimeMs }] : [];
  });
  return seen.toSorted((a, b) => b.at - a.at).map(({ id }) => id);
}

/** All lines of a run, including those that this machine has not pushed. */
export async function linesToShow(run: OpenGitRun, ask: AskOrKnown): Promise<readonly string[]> {
  const { record, alone, held } = run;
  if (held !== undefined) return await held.read(0);
  const waiting = readPending(record.dir, record.runId);
  await ask(
    () => alone(() => fetchNewCommits(record)).then(() => true),
    async () => (await readKnownCommits(record)) || waiting.length > 0 || undefined,
  );
  const { lines, counts } = record;
  const next = waiting.flatMap((one) => {
    const { left, areNext } = leftAfter(lines, one, counts);
    return areNext ? [left] : [];
  });
  return [...lines, ...(next.toSorted((a, b) => b.length - a.length)[0] ?? [])];
}
