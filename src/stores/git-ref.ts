import { join } from "node:path";
import { bareRepository } from "../git/bare-repository.ts";
import { findRemote, type Remote } from "../git/remote.ts";
import { withDiskFaults } from "../ports/disk-fault.ts";
import type { Json } from "../ports/json.ts";
import { assertWhole, type LogStore, RunLockedError, StaleLogError } from "../ports/store.ts";
import { heldBy, remedy, tryLock } from "../processes/lock.ts";
import { openBufferedRun, type PushSchedule, shouldPoll } from "./git/buffered-run.ts";
import { claimRecord } from "./git/claims.ts";
import { type AskOrKnown, askOrKnown, linesToShow, listAll } from "./git/known-runs.ts";
import { tipsOf } from "./git/list.ts";
import { readManyRuns } from "./git/many-runs.ts";
import {
  folderOf,
  type GitRefOptions,
  type OpenGitRun,
  openedRun,
  openGitRun,
  stateKeyOf,
} from "./git/open-run.ts";
import { pruneRuns } from "./git/prune.ts";
import { push } from "./git/push.ts";
import { fetchNewCommits, refOf, whyGone } from "./git/run-refs.ts";
import { snapshotsHere, transferSnapshots } from "./git/transfer-snapshots.ts";
import { hasPending } from "./git/unpushed.ts";
import { temporaryFolder } from "./git/user-temp-dir.ts";
import { dropReserve, reserveSpace } from "./reserve-space.ts";
import { assertRunId } from "./run-id.ts";

/** GitHub advises at most six pushes a minute. */
const usual: PushSchedule = { pushMs: 10_000, lookMs: 5_000 };

/** The limit for one silent exchange, for commands that only show runs. */
const quick = { timeoutMs: 20_000, patienceMs: 20_000 };

/**
 * Keeps each run in two refs of a git host: `state`, a chain of small commits with the log, and `work`, the workspace.
 * Nothing is written to the checkout's own repository; local state is in a temporary folder. The holder of a run
 * appends locally and pushes at intervals; other writers append at the remote.
 */
export function gitRefStore(settings: GitRefOptions): LogStore {
  const options = settings.forReading ? { ...quick, ...settings } : settings;
  const ask = askOrKnown(options.forReading ? options.notice : undefined);
  const { connect, open, opened } = openRuns(options);
  const overview = async (name = "list.git") => {
    const remote = await connect();
    const format = options.checkout?.format ?? "sha1";
    return [remote, bareRepository(folderOf(options, remote), name, format)] as const;
  };
  return {
    ...logStoreOver(open, options.rhythm, ask),
    list: async () => await listAll(await overview(), folderOf(options, await connect()), ask),
    async prune(retention) {
      const [remote, gitDir] = await overview();
      return await pruneRuns(remote, gitDir, { ...retention, key: stateKeyOf(options, remote) });
    },
    async probe(runId) {
      const { dir } = (await open(runId)).record;
      await withDiskFaults(dir, () => reserveSpace(dir));
    },
    async hasUnpushed(runId) {
      return hasPending((await open(runId)).record.dir, runId);
    },
    async artifacts(runId) {
      return await (await open(runId)).folder.filled();
    },
    describe(runId, status) {
      openedRun(opened, runId).described = status;
    },
    async status(runId) {
      const { record, alone, status } = await open(runId);
      if (record.tip === undefined) await alone(() => fetchNewCommits(record));
      return status ?? (record.tip?.head.status as Json | undefined);
    },
    where(runId) {
      const run = opened.get(runId);
      return run?.record.tip === undefined ? undefined : refOf(run.record, "state");
    },
    whyGone(runId) {
      const run = opened.get(runId);
      return run === undefined ? undefined : whyGone(run.record);
    },
    mark: (runId) => opened.get(runId)?.record.key && opened.get(runId)?.record.tip?.id,
    hasMark: (runId, mark) => opened.get(runId)?.record.counts.has(mark) === true,
    async survey() {
      const [remote, gitDir] = await overview();
      const tips = await tipsOf(remote, gitDir, stateKeyOf(options, remote));
      return tips.map(({ head }) => head?.status as Json | undefined);
    },
    async readMany(runs) {
      const [remote, gitDir] = await overview("many.git");
      return await readManyRuns(remote, { runs, gitDir, key: stateKeyOf(options, remote) });
    },
    claims: claimRecord(async () => {
      const [remote, gitDir] = await overview("claims.git");
      const format = options.checkout?.format ?? "sha1";
      return { remote, gitDir, format, key: stateKeyOf(options, remote) };
    }),
    work: transferSnapshots({ options, opened, connect }),
  };
}

/** The part of the store that concerns only the log; the simulator uses it with its own host. */
export function logStoreOver(
  open: (runId: string) => Promise<OpenGitRun>,
  rhythm: PushSchedule = usual,
  ask: AskOrKnown = askOrKnown(undefined),
): Pick<LogStore, "read" | "preview" | "append" | "hold" | "flush" | "settle" | "assertCurrent"> {
  const within = async <T>(runId: string, act: (run: OpenGitRun) => T | Promise<T>): Promise<T> => {
    const run = await open(runId);
    return await withDiskFaults(run.record.dir, () => act(run));
  };
  return {
    read: (runId, after = 0) =>
      within(runId, async ({ record, alone, held }) => {
        if (held !== undefined) return await held.read(after);
        await alone(() => fetchNewCommits(record));
        return record.lines.slice(after);
      }),
    preview: (runId) => within(runId, (run) => linesToShow(run, ask)),
    append: (runId, after, lines) =>
      within(runId, async (run) => {
        assertWhole(lines);
        if (run.held === undefined) return await run.alone(() => appendThere(run, after, lines));
        run.held.append(after, lines);
        run.status = run.described ?? run.status;
      }),
    hold: (runId) => within(runId, (run) => hold(run, rhythm)),
    flush: (runId) => within(runId, ({ held }) => held?.flush()),
    settle: (runId) => within(runId, ({ held }) => held?.settle()),
    assertCurrent: (runId, after) => within(runId, ({ held }) => held?.assertCurrent(after)),
  };
}

function openRuns(options: GitRefOptions) {
  const opening = new Map<string, Promise<OpenGitRun>>();
  const opened = new Map<string, OpenGitRun>();
  let remote: Promise<Remote> | undefined;
  const connect = () => {
    remote ??= findRemote(options);
    return remote;
  };
  const openAt = (host: Remote, runId: string) =>
    withDiskFaults(temporaryFolder(options.environment), () => openGitRun(options, host, runId));
  const open = async (runId: string) => {
    assertRunId(runId);
    const run = opening.get(runId) ?? connect().then((host) => openAt(host, runId));
    opening.set(runId, run);
    opened.set(runId, await run);
    return await run;
  };
  return { connect, open, opened };
}

/** Appends for a writer that does not hold the run: at the remote, or not at all. */
async function appendThere(run: OpenGitRun, after: number, lines: readonly string[]): Promise<void> {
  const { record } = run;
  const stale = () =>
    new StaleLogError(`run ${record.runId} has ${record.lines.length} lines, not ${after}: read again`);
  // A log only grows: a writer that knows fewer lines than this process is late.
  if (record.lines.length < after) await fetchNewCommits(record);
  if (record.lines.length !== after) throw stale();
  if (lines.length === 0) return;
  const { epoch = 0, work, artifacts, sessions } = record.tip?.head ?? {};
  const more = { ...run.baggage(), status: run.described };
  run.described = undefined;
  if (!(await push(record, { ...more, lines, epoch, work, artifacts, sessions }))) throw stale();
}

async function hold(run: OpenGitRun, rhythm: PushSchedule): Promise<() => Promise<void>> {
  const { record, alone } = run;
  const owner = join(record.dir, "owner");
  const taken = await tryLock(owner);
  if (!("release" in taken))
    throw new RunLockedError(`run ${record.runId} is driven by ${heldBy(taken)}; ${remedy(owner)}`);
  try {
    // Usually it was just read, so it is not fetched again: the claim shows who came first.
    if (shouldPoll(record, rhythm) || hasPending(record.dir, record.runId))
      await alone(() => fetchNewCommits(record));
    const baggage = () => {
      const { artifacts, sessions } = run.folder.packed();
      // Unpushed lines of an earlier process are sent with the last known status.
      const status = run.status ?? (record.tip?.head.status as Json | undefined);
      return { ...run.baggage(), artifacts, sessions, status };
    };
    const held = openBufferedRun({ record, rhythm, alone, baggage, pushed: run.folder.marked });
    run.held = held;
    // Unpushed lines of an earlier process name snapshots that the host may lack.
    const last = record.pending.length > 0 ? snapshotsHere(run).at(-1) : undefined;
    if (last !== undefined) held.keep(last);
    return async () => {
      if (run.held !== held) return;
      await held.release();
      dropReserve(record.dir);
      run.held = undefined;
      run.status = undefined;
      taken.release();
    };
  } catch (error) {
    taken.release();
    throw error;
  }
}
