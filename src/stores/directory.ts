import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { withDiskErrors } from "../ports/disk-fault.ts";
import {
  assertWhole,
  BrokenLogError,
  type LogStore,
  type Retention,
  RunLockedError,
} from "../ports/store.ts";
import { heldBy, isLocked, lock, remedy, tryLock } from "../processes/lock.ts";
import { makeFolder } from "../processes/make-folder.ts";
import { type LogFile, logFile, repairLog } from "./log-file.ts";
import { dropReserve, reserveSpace, useReserve } from "./reserve-space.ts";
import { assertRunId, isRunId } from "./run-id.ts";

/** Keeps runs in a local folder: `<root>/<run id>/log.jsonl`, with `artifacts/` beside it. */
export function directoryStore(root: string): LogStore {
  const base = resolve(root);
  const logs = new Map<string, LogFile>();
  const of = (runId: string) => {
    assertRunId(runId);
    const folder = join(base, runId);
    const path = join(folder, "log.jsonl");
    const log = logs.get(runId) ?? logFile(runId, path);
    logs.set(runId, log);
    return { folder, path, log };
  };
  return {
    async read(runId, after = 0) {
      const { path, log } = of(runId);
      return withDiskErrors(path, () => confirmed(() => log.read(after)));
    },
    async append(runId, after, lines) {
      const { folder, path, log } = of(runId);
      assertWhole(lines);
      const write = async () => {
        const release = await lock(join(after === 0 ? makeFolder(folder) : folder, "log.lock"));
        try {
          log.append(after, lines);
        } finally {
          release();
        }
      };
      await withDiskErrors(path, async () => {
        await log.synced();
        try {
          await write();
        } catch (error) {
          if (!useReserve(folder, error)) throw error;
          await write();
        }
      });
    },
    async hold(runId) {
      const { folder, path, log } = of(runId);
      const owner = join(folder, "owner");
      const taken = await withDiskErrors(owner, () => tryLock(join(makeFolder(folder), "owner")));
      if ("release" in taken) {
        return async () => {
          await withDiskErrors(path, () => log.synced());
          dropReserve(folder);
          taken.release();
        };
      }
      throw new RunLockedError(`run ${runId} is driven by ${heldBy(taken)}; ${remedy(owner)}`);
    },
    async probe(runId) {
      const { folder } = of(runId);
      await withDiskErrors(folder, () => reserveSpace(makeFolder(folder)));
    },
    async repair(runId) {
      const { folder, path } = of(runId);
      return await withDiskErrors(path, () => repairLocked(runId, folder));
    },
    prune: (retention) => withDiskErrors(base, () => pruneFolders(base, retention)),
    isHeld: async (runId) => isLocked(join(of(runId).folder, "owner")),
    list: () => withDiskErrors(base, () => newestFirst(base)),
    whyGone: (runId) => whyGone(runId, of(runId)),
    hasTraces: (runId) => existsSync(of(runId).folder),
    artifacts: async (runId) => withDiskErrors(base, () => makeFolder(join(of(runId).folder, "artifacts"))),
  };
}

/**
 * Why a run of this store has no log. A process that is killed before its first line, or whose disk is full by then,
 * leaves a folder without any work.
 */
function whyGone(runId: string, { folder, path }: Record<"folder" | "path", string>): string | undefined {
  const hasWorked = namesIn(join(folder, "artifacts")).length > 0 || existsSync(join(folder, "workspace"));
  if (!hasWorked) return undefined;
  return goneLog(runId, path);
}

export const goneLog = (runId: string, path: string) =>
  `the log of run ${runId} is gone: ${path} has no whole line. Put it back from a copy, or start a new run`;

const ended = z.object({ type: z.literal("run.ended"), at: z.string() });

/** When a run ended; `undefined` if it did not end or its log is damaged. */
function endOf(base: string, runId: string): string | undefined {
  try {
    const log = logFile(runId, join(base, runId, "log.jsonl"));
    return ended.safeParse(JSON.parse(log.read(0).at(-1) ?? "null")).data?.at;
  } catch {
    return undefined;
  }
}

function pruneFolders(base: string, { endedBefore, most }: Retention): readonly string[] {
  const runs = newestFirst(base);
  const over = new Set(runs.slice(most));
  const expired = runs.filter((id) => {
    const end = endOf(base, id);
    return end !== undefined && (end < endedBefore || over.has(id)) && !isLocked(join(base, id, "owner"));
  });
  for (const id of expired) rmSync(join(base, id), { recursive: true, force: true, maxRetries: 3 });
  return expired;
}

async function repairLocked(runId: string, folder: string) {
  const release = await lock(join(folder, "log.lock"));
  try {
    return repairLog(runId, join(folder, "log.jsonl"));
  } finally {
    release();
  }
}

/** A reader without a lock may read between a writer's truncation and its next line, so damage must be seen twice. */
async function confirmed<T>(read: () => T): Promise<T> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BrokenLogError)) throw error;
    await wait(20);
    return read();
  }
}

function newestFirst(root: string): readonly string[] {
  const runs = namesIn(root)
    .filter(isRunId)
    .flatMap((id) => {
      const log = statSync(join(root, id, "log.jsonl"), { throwIfNoEntry: false });
      return log === undefined || log.size === 0 ? [] : [{ id, started: log.birthtimeMs || log.mtimeMs }];
    });
  return runs.toSorted((a, b) => b.started - a.started || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
}

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
