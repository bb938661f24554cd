import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmptyLogError } from "../engine/replay.ts";
import type { RunEvent } from "../engine/run-events.ts";
import { noUsage } from "../ports/agent.ts";
import { messageOf } from "../ports/message-of.ts";
import type { LogStore } from "../ports/store.ts";
import { sum } from "../status/loop-summary.ts";
import { directoryStore } from "../stores/directory.ts";

/** The status of a run so far, to report its end if its log is deleted. */
export interface EmittedSoFar {
  seen(event: RunEvent): void;
  /** True if there is a run to resume. */
  isBegun(): boolean;
  /**
   * Reports a run whose log was deleted while it ran, after saving the log elsewhere; `undefined` for other errors.
   */
  endedBy(error: unknown, log: RememberedLog): Promise<RunEvent | undefined>;
}

/** The log of the run that this process drives, as far as it was read or appended here. */
export interface RememberedLog {
  readonly store: LogStore;
  readonly lines: () => readonly string[];
}

/**
 * A store that remembers what passes through it: an agent may delete the store's files, but not this process's
 * memory.
 */
export function rememberLog(store: LogStore): RememberedLog {
  let kept: readonly string[] = [];
  return {
    lines: () => kept,
    store: {
      ...store,
      async read(runId, after = 0) {
        const lines = await store.read(runId, after);
        // A deleted log reads as empty.
        if (lines.length > 0) kept = [...kept.slice(0, after), ...lines];
        return lines;
      },
      async append(runId, after, lines) {
        kept = [...kept.slice(0, after), ...lines];
        await store.append(runId, after, lines);
      },
    },
  };
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
      if (last === undefined || last.type === "run.ended" || !isLogGone(error)) return undefined;
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
        because: `the run's log was deleted while it ran, for example with .git, so the run cannot be resumed; the files in the checkout are unchanged; ${await keepElsewhere(last.run, log.lines())}`,
      };
    },
  };
}

/** The log or its folder is missing, or a file is in the place of a folder. */
const isLogGone = (error: unknown) =>
  error instanceof EmptyLogError ||
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
