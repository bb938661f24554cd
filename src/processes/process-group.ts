import { sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  commandOf,
  cwdOf,
  exists,
  groupOf,
  inProc,
  lastPid,
  processes,
  statOf,
  uidOf,
} from "./proc-files.ts";

/** Marks the processes we start, so that those that leave their group can be found. */
export const processMarker = "UNTIL_GREEN_PROCESS";

const living = new Set<number>();
let watching = false;

/** Registers a process group to be killed if this process ends first. */
export function killOnExit(group: number): void {
  if (!watching) process.once("exit", killAll);
  watching = true;
  living.add(group);
}

/** Sends a signal to every process of a group; an empty group is fine. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // It is empty, or belongs to another user.
  }
}

/**
 * Ends all processes of a group: SIGTERM, and SIGKILL after `graceMs`. Resolves when the group is empty, or some
 * seconds after SIGKILL: on a busy machine it takes that long to end the namespaces of a program.
 */
export async function terminateGroup(group: number, graceMs: number): Promise<void> {
  if (hasMembers(group)) {
    signalGroup(group, "SIGTERM");
    if (!(await emptied(group, graceMs))) {
      signalGroup(group, "SIGKILL");
      await emptied(group, 5000);
    }
  }
  living.delete(group);
}

/** The first process with a mark, and when it was started, by `performance.now`. */
export interface MarkedStart {
  readonly mark: string;
  readonly pid: number;
  readonly at: number;
}

/**
 * Kills processes that carry a mark and left their group. Resolves when they are gone, or after a second: a process
 * with much memory takes time. Does nothing without /proc.
 */
export const killMarked = (first: MarkedStart): Promise<void> =>
  killUntilGone(youngerThan(first).filter((pid) => isMarked(pid, first.mark)));

/**
 * The processes that may be descendants. The kernel counts PIDs up, and starts again at the smallest. Soon after a
 * start it cannot have come full circle, so descendants have the PIDs up to the last one, if that is larger.
 */
function youngerThan({ pid: first, at }: MarkedStart): readonly number[] {
  const more = performance.now() - at < fullCircleMs ? lastPid() - first : Number.NaN;
  if (!(more >= 0 && more <= 100)) return processes();
  return Array.from({ length: more }, (_, index) => first + 1 + index).filter(exists);
}

/** Much less than the fastest machines need to start 32,768 processes, the smallest usual limit of PIDs. */
const fullCircleMs = 200;

/** Like `killMarked`, for processes that have this entry in their environment and are not children of this process. */
export const killStrangers = (entry: string): Promise<void> =>
  killUntilGone(processes().filter((pid) => hasEntry(pid, entry) && statOf(pid)?.parent !== process.pid));

async function killUntilGone(pids: readonly number[]): Promise<void> {
  let left = pids;
  for (const pid of left) kill(pid);
  const end = performance.now() + 1000;
  for (let pause = 1; left.length > 0 && performance.now() < end; pause = Math.min(pause * 2, 20)) {
    left = left.filter((pid) => groupOf(pid) !== undefined);
    if (left.length > 0) await wait(pause);
  }
}

const isMarked = (pid: number, mark: string) =>
  pid !== process.pid && hasEntry(pid, `${processMarker}=${mark}`);

const isOfRun = (pid: number, artifacts: string) => hasEntry(pid, `UNTIL_GREEN_ARTIFACTS=${artifacts}`);

/** Whether a process was started with this entry in its environment. A zombie has none, so it counts as gone. */
const hasEntry = (pid: number, entry: string) => inProc(pid, "environ").includes(`${entry}\0`);

/** The commands of marked processes that still run after this time, or when the signal aborts; empty without /proc. */
export async function stillRunning(
  mark: string,
  { withinMs, signal }: { readonly withinMs: number; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const end = performance.now() + withinMs;
  for (let pause = 5; ; pause = Math.min(pause * 2, 250)) {
    const left = processes().filter((pid) => isMarked(pid, mark));
    const time = end - performance.now();
    if (left.length === 0) return [];
    if (time <= 0 || signal.aborted) return left.map(commandOf);
    await wait(Math.min(pause, time), undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Kills what a killed process of ours left running for a run, so that no orphaned agent edits the checkout together
 * with its successor. Does nothing without /proc. Identifies the run by its artifacts folder, because two checkouts may
 * use the same id.
 */
export function killRunOrphans(artifacts: string): void {
  const spared = new Set(ancestry(process.pid));
  for (const pid of processes()) {
    if (spared.has(pid) || !isOfRun(pid, artifacts)) continue;
    signalGroup(pid, "SIGKILL");
    kill(pid);
  }
}

interface Leftovers {
  /** The run's artifacts folder, which identifies its processes. */
  readonly artifacts: string;
  /** An orphan whose working folder is in one of these belongs to the run. */
  readonly folders: readonly string[];
}

/**
 * Kills what a run started and left running, in any session, and returns the commands. A process that removed the run's
 * name from its environment is recognized as an orphan of this user in the run's folders that started after us. Finds nothing without /proc.
 */
export function killLeftovers(leftovers: Leftovers): readonly string[] {
  const commands = new Map<number, string>();
  // Repeat, in case a process forks faster than it is found: each pass kills all it finds.
  for (let round = 0; round < 100; round += 1) {
    const left = leftoversOf(leftovers);
    if (left.length === 0) break;
    for (const pid of left) {
      if (!commands.has(pid)) commands.set(pid, commandOf(pid));
      kill(pid);
    }
  }
  return [...commands.values()];
}

function leftoversOf({ artifacts, folders }: Leftovers): readonly number[] {
  const above = ancestry(process.pid);
  const us = statOf(process.pid);
  const isNameless = (pid: number) => {
    const stat = statOf(pid);
    if (us === undefined || stat === undefined || stat.isDead || stat.began < us.began) return false;
    if (uidOf(pid) !== process.getuid?.()) return false;
    // CLONE_PARENT makes a process a sibling of its creator, and so a child of ours that we did not start.
    const isStray = stat.parent === process.pid && stat.group !== us.group && !living.has(stat.group);
    const isOrphan = stat.parent === 1 || above.slice(1).includes(stat.parent) || isStray;
    return isOrphan && folders.some((folder) => isIn(cwdOf(pid), folder));
  };
  return processes().filter((pid) => !above.includes(pid) && (isOfRun(pid, artifacts) || isNameless(pid)));
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(folder + sep);

/** A process and its ancestors. They are spared, because a run may be resumed from inside itself. */
function ancestry(pid: number): readonly number[] {
  const parent = statOf(pid)?.parent ?? 0;
  return parent > 0 ? [pid, ...ancestry(parent)] : [pid];
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}

async function emptied(group: number, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (let pause = 1; hasMembers(group); pause = Math.min(pause * 2, 20)) {
    const left = end - performance.now();
    if (left <= 0) return false;
    await wait(Math.min(pause, left));
  }
  return true;
}

function hasMembers(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  // The kernel counts zombies until they are reaped, and in a container maybe nobody reaps them.
  const pids = processes();
  // Newest first: each look reads a file, and the group was started recently.
  return pids.length === 0 || pids.findLast((pid) => groupOf(pid) === group) !== undefined;
}

/** Continues a group whose first process is stopped: a sandboxed program can stop the process waiting for its end. */
export function continueStopped(group: number): boolean {
  if (!/^\d+ \(.*\) T/s.test(inProc(group, "stat"))) return false;
  signalGroup(group, "SIGCONT");
  return true;
}

function killAll(): void {
  for (const group of living) signalGroup(group, "SIGKILL");
}
