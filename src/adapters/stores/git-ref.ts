import { join } from "node:path";
import type { Json } from "../../ports/json.ts";
import { type LogStore, RunHeldError, StaleLogError } from "../../ports/store.ts";
import { bareRepository } from "./git/bare.ts";
import { carryWork } from "./git/carry.ts";
import { holdRun, isDue, type Rhythm } from "./git/held-run.ts";
import { listRuns } from "./git/list.ts";
import { folderOf, type GitRefOptions, type OpenRun, openRun } from "./git/open-run.ts";
import { hasPending } from "./git/pending.ts";
import { pruneRuns } from "./git/prune.ts";
import { push } from "./git/push.ts";
import { catchUp, refOf } from "./git/record.ts";
import { findRemote, type Remote } from "./git/remote.ts";
import { heldBy, remedy, tryLock } from "./lock.ts";
import { assertRunId } from "./run-id.ts";

/** Hosts advise at most six pushes a minute. */
const usual: Rhythm = { pushMs: 10_000, lookMs: 5_000 };

/**
 * Keeps each run in two refs of a git host: `state`, a chain of small commits with the log, and `work`, the workspace.
 * Nothing is written into the checkout's own repository; what this machine keeps meanwhile lies in a temporary folder.
 * Who holds a run appends on this machine at once and at the remote now and then; all others append at the remote.
 */
export function gitRefStore(options: GitRefOptions): LogStore {
  const { reach, open, opened } = openRuns(options);
  const overview = async () => {
    const remote = await reach();
    const format = options.checkout?.format ?? "sha1";
    return [remote, bareRepository(folderOf(options, remote), "list.git", format)] as const;
  };
  return {
    async read(runId, after = 0) {
      const { record, alone, held } = await open(runId);
      if (held !== undefined) return await held.read(after);
      await alone(() => catchUp(record));
      return record.lines.slice(after);
    },
    async append(runId, after, lines) {
      const run = await open(runId);
      if (lines.some((line) => line.includes("\n")))
        throw new Error("a line of a log may not hold a line break");
      if (run.held !== undefined) {
        run.held.append(after, lines);
        run.standing = run.described ?? run.standing;
        return;
      }
      await run.alone(() => appendThere(run, after, lines));
    },
    async hold(runId) {
      return await hold(await open(runId), options.rhythm ?? usual);
    },
    async flush(runId) {
      await (await open(runId)).held?.flush();
    },
    async settle(runId) {
      await (await open(runId)).held?.settle();
    },
    list: async () => await listRuns(...(await overview())),
    prune: async (retention) => await pruneRuns(...(await overview()), retention),
    async artifacts(runId) {
      return await (await open(runId)).folder.filled();
    },
    describe(runId, standing) {
      const run = opened.get(runId);
      if (run === undefined) throw new Error(`run ${runId} is not open`);
      run.described = standing;
    },
    async standing(runId) {
      const { record, alone, standing } = await open(runId);
      if (record.tip === undefined) await alone(() => catchUp(record));
      return standing ?? (record.tip?.head.standing as Json | undefined);
    },
    where(runId) {
      const run = opened.get(runId);
      return run?.record.tip === undefined ? undefined : refOf(run.record, "state");
    },
    work: carryWork(options, opened),
  };
}

function openRuns(options: GitRefOptions) {
  const opening = new Map<string, Promise<OpenRun>>();
  const opened = new Map<string, OpenRun>();
  let remote: Promise<Remote> | undefined;
  const reach = () => {
    remote ??= findRemote({ timeoutMs: 60_000, patienceMs: 60_000, ...options });
    return remote;
  };
  const open = async (runId: string) => {
    assertRunId(runId);
    const run = opening.get(runId) ?? reach().then((found) => openRun(options, found, runId));
    opening.set(runId, run);
    opened.set(runId, await run);
    return await run;
  };
  return { reach, open, opened };
}

/** Of a writer who does not hold the run: on record at the remote, or not at all. */
async function appendThere(run: OpenRun, after: number, lines: readonly string[]): Promise<void> {
  const { record } = run;
  const stale = () =>
    new StaleLogError(`run ${record.runId} has ${record.lines.length} lines, not ${after}: read again`);
  // A log only grows: who knows fewer lines than we do is late, whatever the remote says.
  if (record.lines.length < after) await catchUp(record);
  if (record.lines.length !== after) throw stale();
  if (lines.length === 0) return;
  const { epoch = 0, work, artifacts, sessions } = record.tip?.head ?? {};
  const more = { ...run.baggage(), standing: run.described };
  run.described = undefined;
  if (!(await push(record, { ...more, lines, epoch, work, artifacts, sessions }))) throw stale();
}

async function hold(run: OpenRun, rhythm: Rhythm): Promise<() => Promise<void>> {
  const { record, alone } = run;
  const owner = join(record.dir, "owner");
  const taken = await tryLock(owner);
  if (!("release" in taken))
    throw new RunHeldError(`run ${record.runId} is driven by ${heldBy(taken)}; ${remedy(owner)}`);
  try {
    // Read a moment ago, as it mostly was, it is not asked for again: the claim shows who came first.
    if (isDue(record, rhythm) || hasPending(record.dir, record.runId)) await alone(() => catchUp(record));
    const baggage = () => {
      const { artifacts, sessions } = run.folder.packed();
      // What an earlier process left waiting goes with what was said last.
      const standing = run.standing ?? (record.tip?.head.standing as Json | undefined);
      return { ...run.baggage(), artifacts, sessions, standing };
    };
    const held = holdRun({ record, rhythm, alone, baggage, pushed: run.folder.marked });
    run.held = held;
    return async () => {
      if (run.held !== held) return;
      await held.release();
      run.held = undefined;
      run.standing = undefined;
      taken.release();
    };
  } catch (error) {
    taken.release();
    throw error;
  }
}
