import type { LogStore } from "../ports/store.ts";
import { RunLockedError, StaleLogError } from "../ports/store.ts";
import { openRun } from "../runner/open-run.ts";

/** Pushes what a killed process of this machine could not; `true` if that added events to a run. */
export async function pushWaiting(store: LogStore, runId: string): Promise<boolean> {
  const there = (await store.read(runId)).length;
  const shown = (await store.preview?.(runId)) ?? [];
  if (shown.length <= there) return false;
  try {
    const release = await store.hold(runId);
    try {
      // The snapshots that these lines name are pushed too.
      const { trail } = await openRun(store, runId);
      if (trail.commit !== undefined) store.work?.keep(runId, trail.commit);
      await store.flush?.(runId);
    } finally {
      await release();
    }
    return true;
  } catch (error) {
    // A living process pushes by itself, and the next one handles conflicts.
    if (error instanceof RunLockedError || error instanceof StaleLogError) return false;
    throw error;
  }
}
