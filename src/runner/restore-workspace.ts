import type { LogEvent } from "../engine/log-events.ts";
import type { RunEnvironment } from "./run-environment.ts";

/**
 * Restores the checkout to the run's last snapshot if the run comes from another checkout. The current content is
 * kept as a snapshot, named in a notice.
 */
export async function restoreWorkspace(
  environment: RunEnvironment,
  runId: string,
  commit: string | undefined,
): Promise<void> {
  const { store, gitWorkspace, workspace } = environment;
  if (commit === undefined || gitWorkspace === undefined) return;
  await store.work?.bring(runId, commit, async (fetch) => {
    const context = { runId, workspace, signal: new AbortController().signal };
    const message = "before the run continued here";
    await gitWorkspace.prepare(context);
    const keep = gitWorkspace.handle({ op: "snapshot", since: undefined, message }, context);
    const [before] = await Promise.all([keep, fetch()]);
    await gitWorkspace.handle({ op: "restore", commit }, context);
    if (before.diff?.files)
      environment.notice?.(
        `the checkout is now as run ${runId} left it; the previous files are saved as snapshot ${before.commit}`,
      );
  });
  // The process that recorded the snapshot may have been killed before pushing it.
  store.work?.keep(runId, commit);
}

/** The events with the path of the run's artifacts folder on this machine. */
export const withLocalArtifacts = (events: readonly LogEvent[], artifacts: string): readonly LogEvent[] =>
  events.map((event) =>
    event.type === "run.started" ? { ...event, facts: { ...event.facts, artifacts } } : event,
  );
