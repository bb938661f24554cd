import type { RunEvent } from "../engine/event.ts";
import type { World } from "./world.ts";

/**
 * Puts the checkout to the run's last snapshot where the run comes from another checkout. What this one held is kept
 * as a snapshot too, and people are told where.
 */
export async function arrive(world: World, runId: string, commit: string | undefined): Promise<void> {
  const { store, gitWorkspace, workspace } = world;
  if (commit === undefined || gitWorkspace === undefined) return;
  await store.work?.bring(runId, commit, async (fetch) => {
    const context = { runId, workspace, signal: new AbortController().signal };
    const message = "before the run went on here";
    await gitWorkspace.prepare(context);
    const keep = gitWorkspace.handle({ op: "snapshot", since: undefined, message }, context);
    const [before] = await Promise.all([keep, fetch()]);
    await gitWorkspace.handle({ op: "restore", commit }, context);
    if (before.diff?.files)
      world.notice?.(
        `the checkout is now as run ${runId} left it; what differed here is kept as snapshot ${before.commit}`,
      );
  });
  // Who recorded it may have been killed before it left that machine.
  store.work?.keep(runId, commit);
}

/** The log with the run's folder as it lies on this machine. */
export const relocate = (events: readonly RunEvent[], artifacts: string): readonly RunEvent[] =>
  events.map((event) =>
    event.type === "run.started" ? { ...event, facts: { ...event.facts, artifacts } } : event,
  );
