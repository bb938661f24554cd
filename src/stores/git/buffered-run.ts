import { BrokenLogError, StaleLogError } from "../../ports/store.ts";
import { useReserve } from "../reserve-space.ts";
import type { Timer } from "./log-host.ts";
import { push, type RunPush } from "./push.ts";
import { fetchNewCommits, type RemoteRun } from "./run-refs.ts";
import { dropPending, forgetPending, pendingFile, readPending, rewritePending } from "./unpushed.ts";

/** How often a locked run exchanges with the remote, in milliseconds. */
export interface PushSchedule {
  /** Between two pushes: hosts ask for few. */
  readonly pushMs: number;
  /** Between two polls for what others wrote. */
  readonly lookMs: number;
}

/** A run that this process drives: written locally at once, pushed now and then. */
export interface BufferedRun {
  read(after: number): Promise<readonly string[]>;
  append(after: number, lines: readonly string[]): void;
  /** Sends the snapshot along from now on. */
  keep(commit: string): void;
  flush(): Promise<void>;
  /** Pushes what is due; waits only briefly. */
  settle(): Promise<void>;
  /** Throws `StaleLogError` if others are known to have written after the first `after` lines. */
  assertCurrent(after: number): void;
  /** Pushes everything if possible; what remains stays on this machine for the next holder of the run. */
  release(): Promise<void>;
}

/** A slow or unreachable remote delays no agent longer than this. */
const mostSettleMs = 5_000;

/** True if it is time to poll a run. */
export const shouldPoll = ({ looked, timer }: RemoteRun, { lookMs }: PushSchedule): boolean =>
  looked === undefined || timer.elapsed() - looked >= lookMs;

interface Holding {
  readonly record: RemoteRun;
  readonly rhythm: PushSchedule;
  /** Runs one remote operation at a time. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** What a push sends besides the lines. */
  baggage(): Omit<RunPush, "lines" | "epoch" | "work">;
  /** Called after a successful push. */
  pushed(): void;
}

/** Locks a run that was just read from the remote, with lines that an earlier process here could not push. */
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
  const pushAll = () => untilDone(pushOnce);
  // An unreachable remote is no reason to stop an agent: it is retried, and the next flush reports it.
  // Lines appended during a push wait for the next one: hosts count pushes.
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
      // Lines of an earlier process belong to the first append: no one has relied on them before.
      if (begun) sayUndone(record);
      return [...record.lines, ...record.pending].slice(after);
    },
    append(after, lines) {
      begun = true;
      sayUndone(record);
      refuseLate(record, after);
      if (lines.length === 0) return;
      writeDown(record, lines);
      later.set(Math.max(Math.min(rhythm.pushMs, 500), pushed + rhythm.pushMs - record.timer.elapsed()));
    },
    keep(commit) {
      work = commit;
    },
    async flush() {
      await alone(pushAll);
      later.clear();
      sayUndone(record);
    },
    async settle() {
      if (record.pending.length === 0 || record.timer.elapsed() - pushed < rhythm.pushMs) return;
      later.clear();
      await briefly(record.timer, alone(pushOnce));
      if (record.pending.length > 0) later.set(rhythm.pushMs);
    },
    assertCurrent: (after) => refuseOvertaken(record, after),
    async release() {
      later.close();
      await alone(pushAll).catch(() => undefined);
    },
  };
}

function afterPush({ record, pushed }: Holding): void {
  keepPending(record);
  pushed();
}

function refuseLate(record: RemoteRun, after: number): void {
  const count = record.lines.length + record.pending.length;
  if (after !== count)
    throw new StaleLogError(`run ${record.runId} has ${count} lines, not ${after}: read again`);
}

/** Nothing may wait here that others have overtaken, and nothing may be recorded that the caller has not read. */
function refuseOvertaken(record: RemoteRun, after: number): void {
  sayUndone(record);
  refuseLate(record, after);
}

function writeDown({ dir, runId, tip, pending }: RemoteRun, lines: readonly string[]): void {
  try {
    pendingFile(dir, runId, tip?.id).append(pending.length, lines);
  } catch (error) {
    // A damaged file, perhaps by an agent, ends no run: its content is known here.
    if (!(error instanceof BrokenLogError || useReserve(dir, error))) throw error;
    rewritePending({ dir, runId, base: tip?.id }, [...pending, ...lines]);
  }
  for (const line of lines) pending.push(line);
}

/** Waits for something, however it ends, but not for long. */
const briefly = ({ after }: Timer, work: Promise<unknown>) =>
  Promise.race([work.catch(() => undefined), new Promise<void>((done) => after(mostSettleMs, done))]);

async function untilDone(step: () => Promise<boolean>): Promise<void> {
  let goesOn = true;
  while (goesOn) goesOn = await step();
}

function sayUndone(record: RemoteRun): void {
  if (record.undone.length === 0) return;
  const { undone } = record;
  record.undone = [];
  throw new StaleLogError(`run ${record.runId} was written to by another: read again`, undone);
}

/** One timer: setting it again keeps its time; once closed it never fires. */
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

/** A failed poll is repeated later; damage is not ignored. */
function passOver(error: unknown): void {
  if ((error as Error).name !== "RemoteError") throw error;
}

/** After a push: lines appended meanwhile are rewritten behind the new commit; only then may older files go. */
function keepPending(record: RemoteRun): void {
  waitBehindTip(record);
  // Lines that another writer overtook are in no other file until the run has taken them up.
  if (record.undone.length === 0) dropPending(record.dir, record.tip?.id);
}

function waitBehindTip({ dir, runId, tip, pending }: RemoteRun): void {
  const file = pendingFile(dir, runId, tip?.id);
  const stand = file.read(0).length;
  if (stand < pending.length) file.append(stand, pending.slice(stand));
}

/**
 * Of the lines written after a commit, the first may have been pushed before the process was killed; the others wait.
 * If another writer was first, they return to the run.
 */
function takeUpPending(record: RemoteRun): void {
  const { dir, runId, counts, lines: there } = record;
  for (const { base, lines } of readPending(dir, runId)) {
    const start = base === undefined ? 0 : counts.get(base);
    if (start === undefined) continue;
    const first = lines.findIndex((line, at) => line !== there[start + at]);
    const left = first < 0 ? [] : lines.slice(first);
    // A kill right after a push: it all arrived, and nothing waits any more.
    if (left.length === 0 && base !== record.tip?.id) forgetPending(dir, base);
    if (left.length > 0 && start + first !== there.length) record.undone.push(...left);
    else if (left.length > record.pending.length) record.pending = left;
  }
  waitBehindTip(record);
}
