import { BrokenLogError, StaleLogError } from "../../ports/store.ts";
import { useReserve } from "../reserve-space.ts";
import type { Timer } from "./log-host.ts";
import { push, type RunPush } from "./push.ts";
import { fetchNewCommits, type RemoteRun } from "./run-refs.ts";
import {
  dropPending,
  forgetPending,
  leftAfter,
  pendingFile,
  readPending,
  rewritePending,
} from "./unpushed.ts";

/** How often a locked run communicates with the remote, in milliseconds. */
export interface PushSchedule {
  /** Between two pushes: hosts ask for few pushes. */
  readonly pushMs: number;
  /** Between two polls for other writers' lines. */
  readonly lookMs: number;
}

/** A run that this process drives: it writes locally at once and pushes at intervals. */
export interface BufferedRun {
  read(after: number): Promise<readonly string[]>;
  append(after: number, lines: readonly string[]): void;
  /** Sends this snapshot with each push from now on. */
  keep(commit: string): void;
  flush(): Promise<void>;
  /** Pushes if a push is due; waits only briefly. */
  settle(): Promise<void>;
  /** Throws `StaleLogError` if others are known to have written after the first `after` lines. */
  assertCurrent(after: number): void;
  /**
   * Pushes everything if possible; the rest stays on this machine for the next holder of the run. Does not try again
   * what a flush has just given up.
   */
  release(): Promise<void>;
}

/** The longest time for which a slow or unreachable remote may delay an agent. */
const mostSettleMs = 5_000;

/** True if it is time to poll a run. */
export const shouldPoll = ({ looked, timer }: RemoteRun, { lookMs }: PushSchedule): boolean =>
  looked === undefined || timer.elapsed() - looked >= lookMs;

interface Holding {
  readonly record: RemoteRun;
  readonly rhythm: PushSchedule;
  /** Runs remote operations one at a time. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** What a push sends in addition to the lines. */
  baggage(): Omit<RunPush, "lines" | "epoch" | "work">;
  /** Called after a successful push. */
  pushed(): void;
}

/** Locks a run that was just read from the remote, and takes over lines that an earlier process here could not push. */
export function openBufferedRun(holding: Holding): BufferedRun {
  const { record, rhythm, alone, baggage } = holding;
  const epoch = (record.tip?.head.epoch ?? 0) + 1;
  let work = record.tip?.head.work;
  let pushed = Number.NEGATIVE_INFINITY;
  let begun = false;
  takeUpPending(record);

  const pushOnce = async () => {
    if (record.pending.length === 0) return false;
    pushed = record.timer.elapsed();
    const went = await push(record, { ...baggage(), lines: [...record.pending], epoch, work });
    if (went) afterPush(holding);
    return went;
  };
  const pushAll = watched(() => untilDone(pushOnce));
  // An unreachable remote must not stop an agent: the push is retried, and the next flush reports the error. Lines
  // appended during a push wait for the next one, because hosts limit the number of pushes.
  const later = openTimer(record.timer, async () => {
    await alone(pushOnce).catch(() => undefined);
    if (record.pending.length > 0) later.set(rhythm.pushMs);
  });

  return {
    async read(after) {
      if (shouldPoll(record, rhythm)) {
        record.looked = record.timer.elapsed();
        await alone(() => fetchNewCommits(record)).catch(passOver);
      }
      // Lines of an earlier process belong to the first append: nothing has relied on them before.
      if (begun) sayUndone(record);
      return [...record.lines, ...record.pending].slice(after);
    },
    append(after, lines) {
      begun = true;
      refuseLate(record, after);
      if (lines.length === 0) return;
      writeDown(record, lines);
      later.set(Math.max(Math.min(rhythm.pushMs, 500), pushed + rhythm.pushMs - record.timer.elapsed()));
    },
    keep(commit) {
      work = commit;
    },
    async flush() {
      later.clear();
      await alone(pushAll.run);
      sayUndone(record);
    },
    async settle() {
      if (record.pending.length === 0 || record.timer.elapsed() - pushed < rhythm.pushMs) return;
      later.clear();
      await briefly(record.timer, alone(pushOnce));
      if (record.pending.length > 0) later.set(rhythm.pushMs);
    },
    assertCurrent: (after) => refuseLate(record, after),
    async release() {
      later.close();
      if (!pushAll.hasFailed) await alone(pushAll.run).catch(() => undefined);
    },
  };
}

function afterPush({ record, pushed }: Holding): void {
  keepPending(record);
  pushed();
}

/** Throws if other writers have overtaken unpushed lines, or if the caller has not read all lines. */
function refuseLate(record: RemoteRun, after: number): void {
  sayUndone(record);
  const count = record.lines.length + record.pending.length;
  if (after !== count)
    throw new StaleLogError(`run ${record.runId} has ${count} lines, not ${after}: read again`);
}

function writeDown({ dir, runId, tip, pending }: RemoteRun, lines: readonly string[]): void {
  const file = pendingFile(dir, runId, tip?.id);
  try {
    file.append(pending.length, lines);
  } catch (error) {
    // A file that was damaged, cut or deleted, perhaps by an agent, must not end the run: its content is in memory.
    // Lines behind ours are never believed, as an agent can write them too.
    const isCut = error instanceof StaleLogError && file.read(0).length < pending.length;
    if (!(isCut || error instanceof BrokenLogError || useReserve(dir, error))) throw error;
    rewritePending({ dir, runId, base: tip?.id }, [...pending, ...lines]);
  }
  for (const line of lines) pending.push(line);
}

/** Waits until some work ends in any way, but only for a limited time. */
const briefly = ({ after }: Timer, work: Promise<unknown>) =>
  Promise.race([work.catch(() => undefined), new Promise<void>((done) => after(mostSettleMs, done))]);

/** Remembers whether the last run of some work failed. */
function watched(work: () => Promise<void>) {
  const it = {
    hasFailed: false,
    async run() {
      it.hasFailed = true;
      await work();
      it.hasFailed = false;
    },
  };
  return it;
}

async function untilDone(step: () => Promise<boolean>): Promise<void> {
  let hasMore = true;
  while (hasMore) hasMore = await step();
}

function sayUndone(record: RemoteRun): void {
  if (record.undone.length === 0) return;
  const { undone } = record;
  record.undone = [];
  throw new StaleLogError(`run ${record.runId} was written to by another: read again`, undone);
}

/** A timer. Setting it while it runs changes nothing; once closed, it never fires. */
function openTimer({ after }: Timer, ring: () => Promise<void>) {
  let cancel: (() => void) | undefined;
  let open = true;
  const clear = () => {
    cancel?.();
    cancel = undefined;
  };
  return {
    clear,
    set(ms: number) {
      if (!open || cancel !== undefined) return;
      cancel = after(ms, () => {
        cancel = undefined;
        void ring();
      });
    },
    close() {
      open = false;
      clear();
    },
  };
}

/** A failed poll is repeated later, but damage is reported. */
function passOver(error: unknown): void {
  if ((error as Error).name !== "RemoteError") throw error;
}

/** After a push, rewrites the lines appended meanwhile behind the new commit, and only then removes older files. */
function keepPending(record: RemoteRun): void {
  waitBehindTip(record);
  // Lines that another writer overtook are in no other file until the run has read them.
  if (record.undone.length === 0) dropPending(record.dir, record.tip?.id);
}

function waitBehindTip({ dir, runId, tip, pending }: RemoteRun): void {
  const file = pendingFile(dir, runId, tip?.id);
  const stand = file.read(0).length;
  if (stand < pending.length) file.append(stand, pending.slice(stand));
}

/**
 * The first of the lines recorded after a commit may have been pushed before the process was killed; the others are
 * still pending. If another writer came first, they are returned to the run as undone.
 */
function takeUpPending(record: RemoteRun): void {
  const { dir, runId, counts, lines, undone } = record;
  const overtaken: (readonly string[])[] = [];
  for (const pending of readPending(dir, runId)) {
    const { left, areNext } = leftAfter(lines, pending, counts);
    if (!areNext) overtaken.push(left);
    else if (left.length > record.pending.length) record.pending = [...left];
    // The process was killed right after a push: everything has arrived, and nothing is pending.
    else if (left.length === 0 && pending.base !== record.tip?.id) forgetPending(dir, pending.base);
  }
  // A kill between a push and the removal of older files leaves the same lines in two of them.
  for (const left of overtaken.toSorted((a, b) => b.length - a.length))
    undone.push(...left.filter((line) => !undone.includes(line)));
  waitBehindTip(record);
}
