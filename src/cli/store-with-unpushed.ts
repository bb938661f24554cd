import type { LogStore } from "../ports/store.ts";

/** The store for reading runs, including what this machine has not pushed yet. Nothing is appended to it. */
export function storeWithUnpushed(store: LogStore): LogStore {
  const { preview } = store;
  if (preview === undefined) return store;
  return { ...store, read: async (runId, after = 0) => (await preview(runId)).slice(after) };
}
