import type { LogStore } from "../../src/ports/store.ts";

/** Simulates the death of the process. */
export class CrashError extends Error {
  override readonly name = "CrashError";
}

/**
 * A store that ends its process at some append, after the write or before it. Each process survives one append more
 * than the previous one, so that the run makes progress.
 */
export function crashingStore(
  store: LogStore,
  { first, written }: { readonly first: number; readonly written: boolean },
): LogStore {
  let life = first;
  let appends = 0;
  return {
    ...store,
    async append(runId, after, lines) {
      appends += 1;
      if (appends < life) return await store.append(runId, after, lines);
      appends = 0;
      life += 1;
      if (written) await store.append(runId, after, lines);
      throw new CrashError("the process died");
    },
  };
}
