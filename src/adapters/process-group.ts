import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Names the processes we start, so that one that left its group can be found again. */
export const processMark = "UNTIL_GREEN_PROCESS";

const living = new Set<number>();
let watching = false;

/** Remembers a process group so that it dies with this process, should this process end first. */
export function adopt(group: number): void {
  if (!watching) process.once("exit", killAll);
  watching = true;
  living.add(group);
}

/** Sends a signal to every process of a group; an empty group is fine. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Empty, or another user's: nothing we could do.
  }
}

/**
 * Makes sure that no process of a group is left: SIGTERM, after `graceMs` SIGKILL. Resolves when the group is empty,
 * or when what remains cannot be killed by us.
 */
export async function emptyGroup(group: number, graceMs: number): Promise<void> {
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
 * Kills the processes started with a mark that left their group. Resolves when they are gone, or after a second: one with
 * much memory takes its time. Where there is no /proc they stay.
 */
export async function reap(mark: string): Promise<void> {
  let left = processes().filter((pid) => isMarked(pid, mark));
  for (const pid of left) kill(pid);
  const end = performance.now() + 1000;
  for (let pause = 1; left.length > 0 && performance.now() < end; pause = Math.min(pause * 2, 20)) {
    left = left.filter((pid) => groupOf(pid) !== undefined);
    if (left.length > 0) await wait(pause);
  }
}

/** A dead process that nobody has collected has no environment, so it counts as gone. */
const isMarked = (pid: number, mark: string) =>
  pid !== process.pid && inProc(pid, "environ").includes(`${processMark}=${mark}\0`);

/**
 * The commands of what was started with a mark and does not end within a time, or before the signal says stop; where
 * there is no /proc none are known.
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

/** A process's command line, as people would write it; its name where it has none. */
function commandOf(pid: number): string {
  const line = inProc(pid, "cmdline").replaceAll("\0", " ").trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line || inProc(pid, "comm").trim();
}

/**
 * Kills what an earlier process of ours started for a run and left behind when it was killed itself, so that no orphaned
 * agent edits the checkout beside its successor; where there is no /proc they stay. A run is known by its folder of
 * artifacts: two checkouts may each have a run of the same id.
 */
export function reapRun(artifacts: string): void {
  const spared = new Set(ancestry(process.pid));
  for (const pid of processes()) {
    if (spared.has(pid) || !inProc(pid, "environ").includes(`UNTIL_GREEN_ARTIFACTS=${artifacts}\0`)) continue;
    signalGroup(pid, "SIGKILL");
    kill(pid);
  }
}

/**
 * Ends what a run started and left behind, in whatever session, and answers the commands. Who has taken the run's name
 * out of its environment is known as an orphan that began after us and works in one of the run's folders. Where there is
 * no /proc nothing is found.
 */
export function endLeftovers({
  artifacts,
  folders,
}: {
  readonly artifacts: string;
  readonly folders: readonly string[];
}): readonly string[] {
  const above = ancestry(process.pid);
  const ourStart = statOf(process.pid)?.began ?? Number.POSITIVE_INFINITY;
  const isNameless = (pid: number) => {
    const stat = statOf(pid);
    if (stat === undefined || stat.isDead || stat.began < ourStart) return false;
    const isOrphan = stat.parent === 1 || above.slice(1).includes(stat.parent);
    return isOrphan && folders.some((folder) => isIn(cwdOf(pid), folder));
  };
  const isMarked = (pid: number) => inProc(pid, "environ").includes(`UNTIL_GREEN_ARTIFACTS=${artifacts}\0`);
  const left = processes().filter((pid) => !above.includes(pid) && (isMarked(pid) || isNameless(pid)));
  const commands = left.map(commandOf);
  for (const pid of left) kill(pid);
  return commands;
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(folder + sep);

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** A process's parent, and when it began in ticks since the machine did; a name may hold any character. */
function statOf(pid: number) {
  const stat = inProc(pid, "stat");
  if (stat === "") return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { isDead: /^[ZX]/.test(fields[0] ?? ""), parent: Number(fields[1]), began: Number(fields[19]) };
}

/** A process and those it comes from: a run may be resumed from inside itself. */
function ancestry(pid: number): readonly number[] {
  const parent = statOf(pid)?.parent ?? 0;
  return parent > 0 ? [pid, ...ancestry(parent)] : [pid];
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone by itself.
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
  // The kernel counts the dead until somebody collects them, which in a container may be nobody.
  const pids = processes();
  return pids.length === 0 || pids.some((pid) => groupOf(pid) === group);
}

/** The group of a living process; none for one that is gone, or dead and not yet collected. */
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
