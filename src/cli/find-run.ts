import { decisionOf } from "../decisions/answer.ts";
import type { Answer } from "../decisions/commands/table.ts";
import { viewOf } from "../decisions/run-view.ts";
import { stepNamed } from "../engine/node-labels.ts";
import type { RunSession } from "../engine/session.ts";
import { nearestWord } from "../ports/nearest-word.ts";
import { bareWord, hasFormOfRunId, isMeantAsRunId, shortRunId } from "../ports/short-run-id.ts";
import { BrokenLogError, type LogStore } from "../ports/store.ts";
import { openRun } from "../runner/open-run.ts";
import { isRunId } from "../stores/run-id.ts";
import { UsageError } from "./exit.ts";

/** The id of the requested run: complete, or from a unique prefix; the newest run by default. */
export async function findRun(store: LogStore, idOrPrefix: string | undefined): Promise<string> {
  const ids = await store.list();
  if (idOrPrefix !== undefined) return namedRun(ids, idOrPrefix);
  const [newest] = ids;
  if (newest === undefined) throw new UsageError("there is no run here yet");
  return newest;
}

function namedRun(ids: readonly string[], idOrPrefix: string): string {
  const runId = oneOf(ids, idOrPrefix);
  if (runId === undefined && !isRunId(idOrPrefix))
    throw new UsageError(
      `there is no run ${JSON.stringify(idOrPrefix.slice(0, 80))} here: until-green list shows all runs`,
    );
  return runId ?? idOrPrefix;
}

/** The runs that a command without an id may apply to, with the words for none and for several. */
interface Fitting {
  readonly none: string;
  readonly several: string;
  fits(store: LogStore, id: string): Promise<boolean>;
}

/** One damaged run must not hide the others. */
const bySession = (fits: (session: RunSession) => boolean) => (store: LogStore, id: string) =>
  openRun(store, id).then(
    ({ session }) => fits(session),
    () => false,
  );

const waiting: Fitting = {
  none: "no run waits for an answer",
  several: "wait for an answer",
  fits: bySession((session) => !session.ended && session.gates().length > 0),
};

const unfinished: Fitting = {
  none: "no run is running or paused",
  several: "are running or paused",
  fits: bySession((session) => !session.ended),
};

const withSnapshots: Fitting = {
  none: "no run here kept a snapshot of an iteration",
  several: "kept snapshots",
  fits: bySession((session) =>
    session.take().some((event) => event.type === "iteration.ended" && event.snapshot !== undefined),
  ),
};

const damaged: Fitting = {
  none: "no run here has a damaged log: there is nothing to repair",
  several: "have a damaged log",
  fits: (store, id) =>
    store.read(id).then(
      () => false,
      (error: unknown) => error instanceof BrokenLogError,
    ),
};

/** The run whose files are restored: without an id, the only one with snapshots. */
export const findRestorable = (store: LogStore, idOrPrefix: string | undefined) =>
  findOnly(store, idOrPrefix, withSnapshots);

/** The run to repair: without an id, the only one with a damaged log. */
export const findDamaged = (store: LogStore, idOrPrefix: string | undefined) =>
  findOnly(store, idOrPrefix, damaged);

async function findOnly(store: LogStore, idOrPrefix: string | undefined, kind: Fitting): Promise<string> {
  const ids = await store.list();
  return idOrPrefix === undefined
    ? theOnly(await fitting(store, ids, kind), kind)
    : namedRun(ids, idOrPrefix);
}

/** The run to resume: without an id the newest one, or if that has ended, the only unfinished one. */
export async function findResumable(store: LogStore, idOrPrefix: string | undefined): Promise<string> {
  const newest = await findRun(store, idOrPrefix);
  if (idOrPrefix !== undefined) return newest;
  const runs = await fitting(store, await store.list(), unfinished);
  return runs.length === 0 || runs.includes(newest) ? newest : theOnly(runs, unfinished);
}

interface Answered {
  readonly runId: string;
  /** The arguments after the id. */
  readonly rest: readonly string[];
}

const answeredBy = (name: Answer) => (decisionOf(name) === undefined ? unfinished : waiting);

/** The runs that an answer can apply to; at most ten. */
export const answerable = async (store: LogStore, name: Answer): Promise<readonly string[]> =>
  (await fitting(store, await store.list(), answeredBy(name))).slice(0, mostNamed);

/**
 * The run to answer: the one that the first word names by its whole id or the end of it. Any other word that can be
 * an id is that of no run here, and never decides another one. Without an id it is the only run that fits, and all
 * arguments are text.
 */
export async function findAnswered(
  store: LogStore,
  args: readonly string[],
  name: Answer,
): Promise<Answered> {
  const [first = "", ...rest] = args;
  const id = isMeantAsRunId(bareWord(first)) ? bareWord(first).toLowerCase() : first;
  const ids = await store.list();
  const ends = ids.filter((run) => shortRunId(run) === id);
  if (ids.includes(id) || ends.length === 1) return { runId: ids.includes(id) ? id : (ends[0] ?? id), rest };
  if (ends.length > 1) throw severalMatch(id, ends);
  // A run with items cannot be answered by its own id: the error explains that.
  if (isMeantAsRunId(id) || ids.some((run) => run.startsWith(`${id}-item-`))) return { runId: id, rest };
  const kind = answeredBy(name);
  const runs = await fitting(store, ids, kind);
  if (runs.length > 0 || first === "") return { runId: theOnly(runs, kind), rest: args };
  throw new UsageError(
    `${kind.none}, and no run is named ${JSON.stringify(first.slice(0, 80))}: until-green list shows all runs`,
  );
}

/**
 * The recipient of a message: without an id, the only unfinished run. A first word that names a step of that run is
 * the step, and not a prefix of an id.
 */
export async function findRecipient(store: LogStore, args: readonly string[]): Promise<Answered> {
  const [first = "", second = "", ...rest] = args;
  const ids = await store.list();
  if (ids.includes(first)) return { runId: first, rest: [second, ...rest] };
  const runs = await fitting(store, ids, unfinished);
  const [only] = runs;
  const steps = only === undefined || runs.length > 1 ? [] : await stepsOf(store, only);
  const isStep = (word: string) => steps.includes(word) || steps.includes(stepNamed(word));
  if (only !== undefined && isStep(first) && !isStep(second)) return { runId: only, rest: args };
  if (rest.length > 0) {
    const named = oneOf(ids, first);
    if (named !== undefined || (await isMeantAsId(store, first, ids)))
      return { runId: named ?? first, rest: [second, ...rest] };
  }
  return { runId: theOnly(runs, unfinished), rest: args };
}

async function stepsOf(store: LogStore, runId: string): Promise<readonly string[]> {
  const { session } = await openRun(store, runId);
  return (viewOf(session).steps ?? []).map(({ id }) => id);
}

function theOnly(runs: readonly string[], { none, several }: Fitting): string {
  const [only] = runs;
  if (only === undefined) throw new UsageError(none);
  if (runs.length === 1) return only;
  const more = runs.length > mostNamed ? `, and ${runs.length - mostNamed} more` : "";
  throw new UsageError(
    `${runs.length} runs ${several}; name one: ${runs.slice(0, mostNamed).join(", ")}${more}`,
  );
}

const mostNamed = 10;

/**
 * True if the first word of a message, which may also be a step, is meant as an id: it has the form of one, is similar
 * to an existing one, or belongs to a deleted run.
 */
async function isMeantAsId(store: LogStore, word: string, ids: readonly string[]): Promise<boolean> {
  if (hasFormOfRunId(word)) return true;
  if (!(isRunId(word) && /[-\d]/.test(word))) return false;
  if (nearestWord(word, ids) !== undefined) return true;
  await store.read(word);
  return store.hasTraces?.(word) === true || store.whyGone?.(word) !== undefined;
}

/** Items of a run spread over jobs are found by their own ids: the run's id stands for all of them. */
function oneOf(ids: readonly string[], idOrPrefix: string): string | undefined {
  if (idOrPrefix === "" || ids.includes(idOrPrefix)) return idOrPrefix || undefined;
  const matches = ids.filter((id) => id.startsWith(idOrPrefix) || shortRunId(id) === idOrPrefix);
  if (matches.length === 0 || matches.every((id) => id.startsWith(`${idOrPrefix}-item-`))) return undefined;
  if (matches.length === 1) return matches[0];
  throw severalMatch(idOrPrefix, matches);
}

const severalMatch = (word: string, matches: readonly string[]) =>
  new UsageError(`${word} matches ${matches.length} runs: ${matches.slice(0, mostNamed).join(", ")}`);

const mostRuns = 200;

async function fitting(store: LogStore, ids: readonly string[], kind: Fitting): Promise<readonly string[]> {
  const runs: string[] = [];
  for (const id of ids.slice(0, mostRuns)) if (await kind.fits(store, id)) runs.push(id);
  return runs;
}
