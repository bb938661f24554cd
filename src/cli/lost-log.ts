import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogEvent } from "../engine/log-events.ts";
import { EmptyLogError } from "../engine/replay.ts";
import type { RunEvent } from "../engine/run-events.ts";
import { noUsage } from "../ports/agent.ts";
import { messageOf } from "../ports/message-of.ts";
import { type LogStore, StaleLogError } from "../ports/store.ts";
import { sum } from "../status/loop-summary.ts";
import { directoryStore } from "../stores/directory.ts";

/** The status of a run so far, to report its end if its log is deleted or changed. */
export interface EmittedSoFar {
  seen(event: RunEvent): void;
  /** True if there is a run to resume. */
  isBegun(): boolean;
  /**
   * Reports a run whose log was deleted or changed while it ran, after saving the log elsewhere; `undefined` for other errors.
   */
  endedBy(error: unknown, log: RememberedLog): Promise<RunEvent | undefined>;
}

/** The log of the run that this process drives, as far as it was read or appended here. */
export interface RememberedLog {
  readonly store: LogStore;
  readonly lines: () => readonly string[];
}

/**
 * A store that remembers what passes through it: an agent may delete or change the store's files, but not this
 * process's memory. While this process holds a run in a store of this machine, the record must stay as it was read and
 * written here, and others may add only what people do: a program of the run could write its own answers.
 */
export function rememberLog(store: LogStore): RememberedLog {
  let kept: readonly string[] = [];
  let isAlone = false;
  const readAll = async (runId: string) => {
    const all = await store.read(runId);
    // A deleted log reads as empty.
    if (all.length === 0) return all;
    if (kept.some((line, at) => line !== all[at]) || (kept.length > 0 && isForged(all.slice(kept.length))))
      throw new TamperedLogError();
    kept = all;
    return all;
  };
  return {
    lines: () => kept,
    store: {
      ...store,
      async hold(runId) {
        const release = await store.hold(runId);
        // Until now, others may have driven the run.
        kept = [];
        isAlone = store.isHeld !== undefined;
        return async () => {
          isAlone = false;
          await release();
        };
      },
      async read(runId, after = 0) {
        const lines = await store.read(runId, after);
        if (lines.length === 0) return lines;
        if (isAlone) return (await readAll(runId)).slice(after);
        kept = [...kept.slice(0, after), ...lines];
        return lines;
      },
      async append(runId, after, lines) {
        if (isAlone && lines.some(isRest)) await readAll(runId);
        const before = kept;
        kept = [...kept.slice(0, after), ...lines];
        try {
          await store.append(runId, after, lines);
        } catch (error) {
          if (error instanceof StaleLogError) kept = before;
          throw error;
        }
      },
    },
  };
}

/** Something other than until-green changed the record of a run while this process drove it. */
class TamperedLogError extends Error {}

const typeOf = (line: string) => (JSON.parse(line) as { readonly type?: LogEvent["type"] }).type;

/** After these events, other processes trust the record. */
const isRest = (line: string) => ["run.paused", "run.ended"].includes(typeOf(line) ?? "");

/** What others may add to the record of a run that this process drives. */
const byPeople: readonly (LogEvent["type"] | undefined)[] = [
  "run.decided",
  "run.messaged",
  "run.cancelled",
  "run.extended",
  // Follows a decision that ends the run; alone it has no effect.
  "run.ended",
];

/** True if no other process can have added these lines, unless it took over the run and so stops this one. */
function isForged(added: readonly string[]): boolean {
  const type = added.map(typeOf).find((each) => !byPeople.includes(each));
  return type !== undefined && type !== "run.resumed";
}

/** Writes a log to a new folder; returns how to read it there, or why that failed. */
async function keepElsewhere(runId: string, lines: readonly string[]): Promise<string> {
  try {
    const folder = await mkdtemp(join(tmpdir(), "until-green-lost-"));
    await directoryStore(folder).append(runId, 0, lines);
    return `its log is kept: until-green logs ${runId} --store dir:${folder}`;
  } catch (error) {
    return `its log could not be kept: ${messageOf(error)}`;
  }
}

/** Follows the events of a run in this process. */
export function followEmitted(): EmittedSoFar {
  let last: RunEvent | undefined;
  let iterations = 0;
  let usage = noUsage;
  return {
    isBegun: () => last !== undefined,
    seen(event) {
      last = event;
      if (event.type === "iteration.started") iterations += 1;
      if (event.type !== "agent.answered" && event.type !== "agent.failed") return;
      usage = sum(usage, event.usage);
    },
    async endedBy(error, log) {
      const what = lossOf(error);
      if (last === undefined || last.type === "run.ended" || what === undefined) return undefined;
      return {
        v: 1,
        seq: last.seq + 1,
        at: new Date().toISOString(),
        run: last.run,
        type: "run.ended",
        conclusion: "failure",
        stop_reason: "tampered",
        output: "",
        results: {},
        iterations,
        usage,
        because: `${what}, so the run cannot be resumed; the files in the checkout are unchanged; ${await keepElsewhere(last.run, log.lines())}`,
      };
    },
  };
}

/** What happened to the log, if an error says that it was deleted or changed. */
function lossOf(error: unknown): string | undefined {
  if (error instanceof TamperedLogError)
    return "the run's log was changed while it ran, by something other than until-green";
  // The log or its folder is missing, or a file is in the place of a folder.
  const isGone =
    error instanceof EmptyLogError ||
    ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
  return isGone ? "the run's log was deleted while it ran, for example with .git" : undefined;
}
