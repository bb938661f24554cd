import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { assertWhole, type LogStore, RunLockedError, StaleLogError } from "../ports/store.ts";
import { makeTempFolder } from "../processes/temp-folder.ts";
import { assertRunId } from "./run-id.ts";

/** A store that is lost at exit, for tests and dry runs. */
export function memoryStore(start: Readonly<Record<string, readonly string[]>> = {}): LogStore {
  const logs = new Map(Object.entries(start).map(([id, lines]) => [id, [...lines]]));
  const held = new Set<string>();
  let folder: string | undefined;
  return {
    async read(runId, after = 0) {
      assertRunId(runId);
      return logs.get(runId)?.slice(after) ?? [];
    },
    async append(runId, after, lines) {
      assertRunId(runId);
      assertWhole(lines);
      const log = logs.get(runId) ?? [];
      if (log.length !== after)
        throw new StaleLogError(`run ${runId} has ${log.length} lines, not ${after}: read again`);
      for (const line of lines) log.push(line);
      if (log.length > 0) logs.set(runId, log);
    },
    async hold(runId) {
      assertRunId(runId);
      if (held.has(runId)) throw new RunLockedError(`run ${runId} is driven by this process already`);
      held.add(runId);
      let isOwner = true;
      return async () => {
        if (isOwner) held.delete(runId);
        isOwner = false;
      };
    },
    list: async () => [...logs.keys()].toReversed(),
    async artifacts(runId) {
      assertRunId(runId);
      folder ??= forgotten();
      const path = join(folder, runId);
      mkdirSync(path, { recursive: true });
      return path;
    },
  };
}

let root: string | undefined;

/** One root for all stores of this process, removed when it exits. */
function forgotten(): string {
  if (root === undefined) {
    const made = makeTempFolder("memory");
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    root = made;
  }
  return mkdtempSync(join(root, "store-"));
}
