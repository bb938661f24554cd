import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { BrokenLogError, type LogStore, RunHeldError } from "../../ports/store.ts";
import { makeFolder } from "../folder.ts";
import { heldBy, isLocked, lock, remedy, tryLock } from "./lock.ts";
import { type LogFile, logFile } from "./log-file.ts";
import { assertRunId, isRunId } from "./run-id.ts";
import { withTrouble } from "./trouble.ts";

/** Keeps runs in a local folder: `<root>/<run id>/log.jsonl` and `artifacts/` beside it. */
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
      return withTrouble(path, () => confirmed(() => log.read(after)));
    },
    async append(runId, after, lines) {
      const { folder, path, log } = of(runId);
      if (lines.some((line) => line.includes("\n")))
        throw new Error("a line of a log may not hold a line break");
      await withTrouble(path, async () => {
        await log.synced();
        const release = await lock(join(after === 0 ? makeFolder(folder) : folder, "log.lock"));
        try {
          log.append(after, lines);
        } finally {
          release();
        }
      });
    },
    async hold(runId) {
      const { folder, path, log } = of(runId);
      const owner = join(folder, "owner");
      const taken = await withTrouble(owner, () => tryLock(join(makeFolder(folder), "owner")));
      if ("release" in taken) {
        return async () => {
          await withTrouble(path, () => log.synced());
          taken.release();
        };
      }
      throw new RunHeldError(`run ${runId} is driven by ${heldBy(taken)}; ${remedy(owner)}`);
    },
    isHeld: async (runId) => isLocked(join(of(runId).folder, "owner")),
    list: () => withTrouble(base, () => newestFirst(base)),
    artifacts: async (runId) => withTrouble(base, () => makeFolder(join(of(runId).folder, "artifacts"))),
  };
}

/** A reader without a lock may come between a writer's cut and its next line: damage is believed when seen twice. */
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
