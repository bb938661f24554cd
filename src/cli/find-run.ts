import { nearestWord } from "../ports/nearest-word.ts";
import type { LogStore } from "../ports/store.ts";
import { openRun } from "../runner/open-run.ts";
import { isRunId } from "../stores/run-id.ts";
import { UsageError } from "./exit.ts";

/** The id of the requested run: complete, or from a unique prefix; the newest run by default. */
export async function findRun(store: LogStore, given: string | undefined): Promise<string> {
  const ids = await store.list();
  if (given !== undefined) {
    const found = oneOf(ids, given);
    if (found === undefined && !isRunId(given))
      throw new UsageError(
        `there is no run ${JSON.stringify(given.slice(0, 80))} here: until-green list shows all runs`,
      );
    return found ?? given;
  }
  const [newest] = ids;
  if (newest === undefined) throw new UsageError("there is no run here yet");
  return newest;
}

/** The same for an answer: without an id, the only run that waits, and all arguments are text. */
export async function findWaiting(
  store: LogStore,
  words: readonly string[],
): Promise<{ readonly runId: string; readonly text: string }> {
  const [first = "", ...rest] = words;
  const ids = await store.list();
  const named = ids.includes(first) || first.length >= shortestPrefix ? oneOf(ids, first) : undefined;
  if (named !== undefined) return { runId: named, text: rest.join(" ") };
  // A run with items cannot be answered by its own id: the error explains that.
  if (ids.some((id) => id.startsWith(`${first}-item-`))) return { runId: first, text: rest.join(" ") };
  const isId = await isMeantAsId(store, first, ids);
  const waiting = isId ? [] : await waitingRuns(store, ids);
  const [only] = waiting;
  if (only !== undefined && waiting.length === 1) return { runId: only, text: words.join(" ") };
  if (waiting.length > 1)
    throw new UsageError(
      `${waiting.length} runs wait for an answer; name one: ${waiting.slice(0, 10).join(", ")}`,
    );
  if (first === "") throw new UsageError("no run waits for an answer");
  // Any other word is the start of a reason.
  if (!isId && !(isRunId(first) && first.includes("-")))
    throw new UsageError(
      `no run waits for an answer, and no run is named ${JSON.stringify(first.slice(0, 80))}: until-green list shows all runs`,
    );
  return { runId: first, text: rest.join(" ") };
}

/** Shorter arguments are more likely the start of an answer. */
const shortestPrefix = 6;

/**
 * True if a word that names no run is meant as an id: it has the form of one (a name, a hyphen, eight characters), is
 * similar to an existing one, or belongs to a deleted run. An answer to that run must not decide another one.
 */
async function isMeantAsId(store: LogStore, word: string, ids: readonly string[]): Promise<boolean> {
  if (/-[0-9a-f]{8}(-item-\d+)?$/.test(word)) return true;
  if (!(isRunId(word) && /[-\d]/.test(word))) return false;
  if (nearestWord(word, ids) !== undefined) return true;
  await store.read(word);
  return store.whyGone?.(word) !== undefined;
}

/** Items of a run spread over jobs are found by their own ids: the run's id stands for all of them. */
function oneOf(ids: readonly string[], given: string): string | undefined {
  if (given === "" || ids.includes(given)) return given || undefined;
  const meant = ids.filter((id) => id.startsWith(given));
  if (meant.length === 0 || meant.every((id) => id.startsWith(`${given}-item-`))) return undefined;
  if (meant.length === 1) return meant[0];
  throw new UsageError(`${given} matches ${meant.length} runs: ${meant.slice(0, 10).join(", ")}`);
}

const mostRuns = 200;

async function waitingRuns(store: LogStore, ids: readonly string[]): Promise<readonly string[]> {
  const waiting: string[] = [];
  for (const id of ids.slice(0, mostRuns)) {
    try {
      const { session } = await openRun(store, id);
      if (!session.ended && session.gates().length > 0) waiting.push(id);
    } catch {
      // One damaged run must not hide the others.
    }
  }
  return waiting;
}
