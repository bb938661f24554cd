import { setTimeout as wait } from "node:timers/promises";
import { BrokenLogError, StaleLogError } from "../../../ports/store.ts";
import { dropPending, pendingFile, readPending, rewritePending } from "./pending.ts";
import { type Push, push } from "./push.ts";
import { catchUp, type RunRecord } from "./record.ts";

/** How often a run that is driven here goes to the remote, in milliseconds. */
export interface Rhythm {
  /** Between two pushes: hosts ask for few. */
  readonly pushMs: number;
  /** Between two looks for what others wrote. */
  readonly lookMs: number;
}

/** A run that this process drives: written down here at once, taken to the remote now and then. */
export interface HeldRun {
  read(after: number): Promise<readonly string[]>;
  append(after: number, lines: readonly string[]): void;
  /** Takes the snapshot along from now on. */
  keep(commit: string): void;
  flush(): Promise<void>;
  /** Pushes what there is if the time for it has come; waits for that a moment only. */
  settle(): Promise<void>;
  /** Pushes what there is, if it can be; what cannot stays on this machine for the next one who holds the run. */
  release(): Promise<void>;
}

/** A remote that is slow, or away, keeps no agent waiting for longer. */
const mostSettleMs = 5_000;

/** Whether it is time to see what others wrote to a run. */
export const isDue = ({ looked }: RunRecord, { lookMs }: Rhythm): boolean =>
  looked === undefined || performance.now() - looked >= lookMs;

interface Holding {
  readonly record: RunRecord;
  readonly rhythm: Rhythm;
  /** Runs one thing at a time at the remote. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** What a push takes along besides the lines. */
  baggage(): Omit<Push, "lines" | "epoch" | "work">;
  /** Hears that a push went well. */
  pushed(): void;
}

/** Takes a run that was just read from the remote, with what an earlier process here could not push any more. */
export function holdRun(holding: Holding): HeldRun {
  const { record, rhythm, alone, baggage } = holding;
  const epoch = (record.tip?.head.epoch ?? 0) + 1;
  let work = record.tip?.head.work;
  let pushed = Number.NEGATIVE_INFINITY;
  let begun = false;
  takeUpPending(record);

  const pushOnce = async () => {
    if (record.pending.length === 0) return false;
    pushed = performance.now();
    const went = await push(record, { ...baggage(), lines: [...record.pending], epoch, work });
    if (went) afterPush(holding);
    return went;
  };
  const pushAll = () => untilDone(pushOnce);
  // A remote out of reach is no reason to stop an agent: it is tried again, and the next flush says so.
  // What a loop that never rests appends during a push waits for the next one: hosts count them.
  const later = openTimer(async () => {
    await alone(pushOnce).catch(() => undefined);
    if (record.pending.length > 0) later.set(rhythm.pushMs);
  });

  return {
    async read(after) {
      if (isDue(record, rhythm)) {
        record.looked = performance.now();
        await alone(() => catchUp(record)).catch(passOver);
      }
      // What an earlier process left is for the first append: until then nobody has counted on it.
      if (begun) sayUndone(record);
      return [...record.lines, ...record.pending].slice(after);
    },
    append(after, lines) {
      begun = true;
      sayUndone(record);
      refuseLate(record, after);
      if (lines.length === 0) return;
      writeDown(record, lines);
      later.set(Math.max(Math.min(rhythm.pushMs, 500), pushed + rhythm.pushMs - performance.now()));
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
      if (record.pending.length === 0 || performance.now() - pushed < rhythm.pushMs) return;
      later.clear();
      await briefly(alone(pushOnce));
      if (record.pending.length > 0) later.set(rhythm.pushMs);
    },
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

function refuseLate(record: RunRecord, after: number): void {
  const count = record.lines.length + record.pending.length;
  if (after !== count)
    throw new StaleLogError(`run ${record.runId} has ${count} lines, not ${after}: read again`);
}

function writeDown({ dir, runId, tip, pending }: RunRecord, lines: readonly string[]): void {
  try {
    pendingFile(dir, runId, tip?.id).append(pending.length, lines);
  } catch (error) {
    // Whoever damages the file, an agent perhaps, ends no run by it: what stood there is known here.
    if (!(error instanceof BrokenLogError)) throw error;
    rewritePending({ dir, runId, base: tip?.id }, [...pending, ...lines]);
  }
  for (const line of lines) pending.push(line);
}

/** Waits for something, however it ends, but not for long. */
const briefly = (work: Promise<unknown>) =>
  Promise.race([work.catch(() => undefined), wait(mostSettleMs, undefined, { ref: false })]);

async function untilDone(step: () => Promise<boolean>): Promise<void> {
  let goesOn = true;
  while (goesOn) goesOn = await step();
}

function sayUndone(record: RunRecord): void {
  if (record.undone.length === 0) return;
  const { undone } = record;
  record.undone = [];
  throw new StaleLogError(`run ${record.runId} was written to by another: read again`, undone);
}

/** One timer: set while it is set, it keeps its time; closed, it rings no more. */
function openTimer(ring: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let open = true;
  const clear = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    clear,
    set(ms: number) {
      if (!open || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        void ring();
      }, ms);
      timer.unref();
    },
    close() {
      open = false;
      clear();
    },
  };
}

/** A look that did not come through is made again later; damage is not passed over. */
function passOver(error: unknown): void {
  if ((error as Error).name !== "RemoteError") throw error;
}

/** After a push: what was appended meanwhile waits behind the new commit; only then may the older files go. */
function keepPending(record: RunRecord): void {
  waitBehindTip(record);
  dropPending(record.dir, record.tip?.id);
}

function waitBehindTip({ dir, runId, tip, pending }: RunRecord): void {
  const file = pendingFile(dir, runId, tip?.id);
  const stand = file.read(0).length;
  if (stand < pending.length) file.append(stand, pending.slice(stand));
}

/**
 * Of what was written down after a commit, the first lines may have got there before the process was killed; what
 * follows them waits to be pushed. Where another writer came first, it goes back to the run.
 */
function takeUpPending(record: RunRecord): void {
  const { dir, runId, counts, lines: there } = record;
  for (const { base, lines } of readPending(dir, runId)) {
    const start = base === undefined ? 0 : counts.get(base);
    if (start === undefined) continue;
    const first = lines.findIndex((line, at) => line !== there[start + at]);
    const left = first < 0 ? [] : lines.slice(first);
    if (left.length > 0 && start + first !== there.length) record.undone.push(...left);
    else if (left.length > record.pending.length) record.pending = left;
  }
  waitBehindTip(record);
}
