import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Marks the processes we start, so that one that left its group can be found again. */
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
    // Empty, or another user's: nothing to be done.
  }
}

/**
 * Ends all processes of a group: SIGTERM, after `graceMs` SIGKILL. Resolves when the group is empty, or when we
 * cannot kill the remaining ones.
 */
export async function terminateGroup(group: number, graceMs: number): Promise<void> {
  if (hasMembers(group)) {
    signalGroup(group, "SIGTERM");
    if (!(await emptied(group, graceMs))) {
      signalGroup(group, "SIGKILL");
      await emptied(group, 1000);
    }
  }
  living.delete(group);
}

/**
 * Kills processes that carry a mark and left their group. Resolves when they are gone, or after a second: one with
 * much memory takes time. Without a /proc they stay.
 */
export const killMarked = (mark: string): Promise<void> =>
  killUntilGone(processes().filter((pid) => isMarked(pid, mark)));

/** Kills processes with an entry in their environment that another process than this one started, in the same way. */
export const killStrangers = (entry: string): Promise<void> =>
  killUntilGone(
    processes().filter(
      (pid) => inProc(pid, "environ").includes(`${entry}\0`) && statOf(pid)?.parent !== process.pid,
    ),
  );

async function killUntilGone(pids: readonly number[]): Promise<void> {
  let left = pids;
  for (const pid of left) kill(pid);
  const end = performance.now() + 1000;
  for (let pause = 1; left.length > 0 && performance.now() < end; pause = Math.min(pause * 2, 20)) {
    left = left.filter((pid) => groupOf(pid) !== undefined);
    if (left.length > 0) await wait(pause);
  }
}

/** A zombie has no environment, so it counts as gone. */
const isMarked = (pid: number, mark: string) =>
  pid !== process.pid && inProc(pid, "environ").includes(`${processMarker}=${mark}\0`);

/**
 * The commands of marked processes that do not end within a time, or before the signal aborts; none are known without
 * a /proc.
 */
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

/** A process's command line, as people would write it; its name if it has none. */
function commandOf(pid: number): string {
  const line = inProc(pid, "cmdline").replaceAll("\0", " ").trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line || inProc(pid, "comm").trim();
}

/**
 * Kills what an earlier process of ours started for a run and left when it was killed, so that no orphaned agent
 * edits the checkout beside its successor; without a /proc they stay. A run is identified by its artifacts folder:
 * two checkouts may each have a run with the same id.
 */
export function killRunOrphans(artifacts: string): void {
  const spared = new Set(ancestry(process.pid));
  for (const pid of processes()) {
    if (spared.has(pid) || !inProc(pid, "environ").includes(`UNTIL_GREEN_ARTIFACTS=${artifacts}\0`)) continue;
    signalGroup(pid, "SIGKILL");
    kill(pid);
  }
}

interface Leftovers {
  /** The run's folder of artifacts, by which its processes are known. */
  readonly artifacts: string;
  /** An orphan that works in one of these is the run's. */
  readonly folders: readonly string[];
  /** This machine has no other work: every orphan of this user that began after us is the run's. */
  readonly machine: boolean;
}

/**
 * Ends what a run started and left running, in any session, and returns the commands. A process that removed the
 * run's name from its environment is recognized as an orphan of this user that started after us. Without a /proc
 * nothing is found.
 */
export function killLeftovers(leftovers: Leftovers): readonly string[] {
  const commands = new Map<number, string>();
  // One that forks faster than it is found loses: each round ends all it finds.
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

function leftoversOf({ artifacts, folders, machine }: Leftovers): readonly number[] {
  const above = ancestry(process.pid);
  const us = statOf(process.pid);
  const isNameless = (pid: number) => {
    const stat = statOf(pid);
    if (us === undefined || stat === undefined || stat.isDead || stat.began < us.began) return false;
    if (uidOf(pid) !== process.getuid?.()) return false;
    // CLONE_PARENT makes a process a sister of the one that made it: ours, then, without our having started it.
    const isStray = stat.parent === process.pid && stat.group !== us.group && !living.has(stat.group);
    const isOrphan = stat.parent === 1 || above.slice(1).includes(stat.parent) || isStray;
    return isOrphan && (machine || folders.some((folder) => isIn(cwdOf(pid), folder)));
  };
  const isMarked = (pid: number) => inProc(pid, "environ").includes(`UNTIL_GREEN_ARTIFACTS=${artifacts}\0`);
  return processes().filter((pid) => !above.includes(pid) && (isMarked(pid) || isNameless(pid)));
}

function uidOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(folder + sep);

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** A process's parent, and its start time in clock ticks since boot; a name may contain any character. */
function statOf(pid: number) {
  const stat = inProc(pid, "stat");
  if (stat === "") return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    isDead: /^[ZX]/.test(fields[0] ?? ""),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    began: Number(fields[19]),
  };
}

/** A process and its ancestors: a run may be resumed from inside itself. */
function ancestry(pid: number): readonly number[] {
  const parent = statOf(pid)?.parent ?? 0;
  return parent > 0 ? [pid, ...ancestry(parent)] : [pid];
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has exited on its own.
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
  // The kernel counts zombies until somebody reaps them, which in a container may be nobody.
  const pids = processes();
  // The newest first: each look is a read, and a group has just been started.
  return pids.length === 0 || pids.findLast((pid) => groupOf(pid) === group) !== undefined;
}

/** Continues a group whose first process is stopped: behind walls a program can stop what waits for its end. */
export function continueStopped(group: number): boolean {
  if (!/^\d+ \(.*\) T/s.test(inProc(group, "stat"))) return false;
  signalGroup(group, "SIGCONT");
  return true;
}

/** The group of a living process; `undefined` if it is gone or a zombie. */
function groupOf(pid: number): number | undefined {
  const stat = inProc(pid, "stat");
  if (stat === "") return undefined;
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? undefined : Number(group);
}

function processes(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function inProc(pid: number, file: "environ" | "stat" | "cmdline" | "comm"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

function killAll(): void {
  for (const group of living) signalGroup(group, "SIGKILL");
}
