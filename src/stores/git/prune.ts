import { z } from "zod";
import type { Remote } from "../../git/remote.ts";
import { pushOnce } from "../../git/remote-calls.ts";
import type { Retention } from "../../ports/store.ts";
import { runAt } from "../run-id.ts";
import { nameIn, refsOfRuns, type StoredRun, tipsOf } from "./list.ts";
import type { StateKey } from "./sign.ts";

/**
 * Deletes the refs of runs that ended long ago, and of the oldest ended ones if there are too many; returns their
 * ids.
 */
export async function pruneRuns(
  remote: Remote,
  gitDir: string,
  { endedBefore, most, key }: Retention & { readonly key: StateKey | undefined },
): Promise<readonly string[]> {
  const runs = await tipsOf(remote, gitDir, key);
  const ended = runs
    .flatMap((run) => endOf(run) ?? [])
    .toSorted((a, b) => (a.ended < b.ended ? -1 : Number(a.ended > b.ended)));
  const over = runs.length - most;
  const expired = ended.filter((run, at) => run.ended < endedBefore || at < over);
  if (expired.length === 0) return [];
  const refs = await refsOf(remote, gitDir);
  const deletions = expired.flatMap(({ id }) => refs.get(id) ?? []);
  for (let at = 0; at < deletions.length; at += atOnce) {
    // Each ref is deleted only at the commit that was seen, so a run that was written to meanwhile stays.
    await pushOnce(remote, { gitDir, updates: deletions.slice(at, at + atOnce), atomic: false });
  }
  const left = await refsOf(remote, gitDir);
  await pruneClaims(remote, gitDir);
  return expired.flatMap(({ id }) => (left.has(id) ? [] : [id]));
}

const atOnce = 100;

const endedStatus = z.object({ summary: z.object({ state: z.literal("ended"), endedAt: z.string() }) });

/** A run without a known end never counts as ended. */
function endOf({ id, head }: StoredRun): { readonly id: string; readonly ended: string } | undefined {
  const parsed = endedStatus.safeParse(head?.status);
  return parsed.success ? { id, ended: parsed.data.summary.endedAt } : undefined;
}

/** Deletes the claims of a fan-out when none of its items is left. */
async function pruneClaims(remote: Remote, gitDir: string): Promise<void> {
  const refs = await refsOfRuns(remote, gitDir);
  const names = [...refs.keys()];
  const updates = [...refs].flatMap(([ref, expected]) => {
    const run = /^(.+)\/claims$/.exec(ref)?.[1];
    if (run === undefined || names.some((name) => name.startsWith(`${run}/items/`))) return [];
    return [{ ref, to: "", expected }];
  });
  if (updates.length > 0) await pushOnce(remote, { gitDir, updates, atomic: false });
}

/** The deletions of all refs, by run. A run's items are separate runs, with refs below the run's. */
async function refsOf(remote: Remote, gitDir: string) {
  const deletions = [...(await refsOfRuns(remote, gitDir))].map(([ref, expected]) => ({
    ref,
    to: "",
    expected,
  }));
  return Map.groupBy(deletions, ({ ref }) => {
    const name = nameIn(ref);
    return runAt(name) ?? runAt(name, "work") ?? runAt(name, "attempt");
  });
}
