import type { LogStore } from "../../src/ports/store.ts";

/** The process dies here, as far as the run can tell. */
export class CrashError extends Error {
  override readonly name = "CrashError";
}

/**
 * A store in which some append is the last thing its process does, after the write or before it. Each process lives one
 * append longer than the one before, so that the run gets on.
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
