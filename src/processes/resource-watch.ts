import { statfs } from "node:fs/promises";
import { freemem, tmpdir, totalmem } from "node:os";
import { DiskFault } from "../ports/disk-fault.ts";
import { textIn } from "./lenient-reads.ts";
import { processes } from "./proc-files.ts";
import { continueStopped } from "./process-group.ts";

const mebibyte = 2 ** 20;
/** How much disk space and memory must stay free: enough to record the run, and for the user to fix the problem. */
const reserveBytes = 256 * mebibyte;
/** How many files must stay free: programs can create about ten thousand in a second. */
const reserveFiles = 16_384;
const everyMs = 200;
/** When to look first: later than the end of the shortest programs, and long before much can be written. */
const firstMs = 20;

/** Why a program was ended early: a full disk affects the whole run, low memory only the program. */
type Exhausted =
  | { readonly of: "disk"; readonly fault: DiskFault }
  | { readonly of: "memory"; readonly message: string };

export interface WatchedProgram {
  readonly pid: number;
  /** Its working folder. */
  readonly cwd: string;
  /** Receives a line of text for people. */
  readonly say: (text: string) => void;
}

/**
 * Checks several times a second the disks that a program writes to, and the machine's memory. Calls `end` once when
 * little is left, or, if little was left at the first look, when half of that is used. A program that writes faster
 * than that hits the full disk itself. Also continues a program that is stopped.
 */
export function watchResources(
  { pid, cwd, say }: WatchedProgram,
  end: () => void,
): { stop(): Exhausted | undefined } {
  const reserves = new Map<string, number>();
  let sharedBefore: number | undefined;
  let why: Exhausted | undefined;
  let isOver = false;
  let isBusy = false;
  let wasStopped = false;
  const look = async () => {
    if (!isOver && continueStopped(pid)) {
      if (!wasStopped) say("until-green: the program was stopped by a signal, and continued\n");
      wasStopped = true;
    }
    if (isBusy || isOver) return;
    isBusy = true;
    // A program that has just started holds no memory yet.
    const isFirst = sharedBefore === undefined;
    sharedBefore ??= sharedMemory();
    const exhausted =
      (await fullDisk(new Set([cwd, tmpdir()]), reserves)) ??
      (isFirst ? undefined : lowMemory(pid, sharedBefore));
    isBusy = false;
    if (exhausted === undefined || isOver) return;
    why = exhausted;
    stop();
    end();
  };
  const lookOften = () => {
    timer = setInterval(() => void look(), everyMs).unref();
    void look();
  };
  let timer = setTimeout(lookOften, firstMs).unref();
  const stop = () => {
    isOver = true;
    clearTimeout(timer);
    return why;
  };
  return { stop };
}

/** How a program ended that was killed for it: a full disk stops the run; a program without memory has failed. */
export function endOf(why: Exhausted, add: (text: string) => void) {
  if (why.of === "disk") throw why.fault;
  add(why.message);
  return { how: "exited", exitCode: 137, outOfMemory: true } as const;
}

async function fullDisk(
  folders: ReadonlySet<string>,
  reserves: Map<string, number>,
): Promise<Exhausted | undefined> {
  for (const folder of folders) {
    for (const { name, free, most, left } of await freeOf(folder)) {
      const key = `${name} ${folder}`;
      const reserve = reserves.get(key) ?? Math.min(most, free / 2);
      reserves.set(key, reserve);
      if (free >= reserve) continue;
      const message = `only ${left} on the disk of ${folder}, so the running program was ended: nothing recorded is lost; free some space, then resume the run`;
      return { of: "disk", fault: new DiskFault(message, "ENOSPC", undefined) };
    }
  }
  return undefined;
}

/** The resources of a disk that can run out: space, and files if their number is limited. */
async function freeOf(folder: string) {
  const stats = await statfs(folder).catch(() => undefined);
  if (stats === undefined) return [];
  const { bavail, bsize, blocks, files, ffree } = stats;
  const space = bavail * bsize;
  return [
    ...(blocks === 0
      ? []
      : [{ name: "space", free: space, most: reserveBytes, left: `${inMebibytes(space)} are left` }]),
    ...(files === 0
      ? []
      : [{ name: "files", free: ffree, most: reserveFiles, left: `${ffree} more files can be made` }]),
  ];
}

/** `undefined` if the file system has no size or cannot be queried. */
const freeBytes = async (folder: string): Promise<number | undefined> =>
  (await freeOf(folder)).find(({ name }) => name === "space")?.free;

/**
 * Returned only if the program itself uses a large part of the memory, since other programs may be the cause. Shared
 * memory added since it started counts as its own, because files in it belong to no process.
 */
function lowMemory(pid: number, sharedBefore: number): Exhausted | undefined {
  const [total, free] = memory();
  if (free >= Math.min(reserveBytes, total / 16)) return undefined;
  const used = memoryOf(pid) + Math.max(0, sharedMemory() - sharedBefore);
  if (used < total / 4) return undefined;
  const message = `until-green: the program was ended, because it used ${inMebibytes(used)} of memory and only ${inMebibytes(free)} of ${inMebibytes(total)} were left: give it more memory, or less work at once\n`;
  return { of: "memory", message };
}

/** Total and free memory: of this process's cgroup, as in a container, or of the machine. Caches count as free. */
function memory(): readonly [number, number] {
  if (!isLimited()) return [totalmem(), availableMemory()];
  const limit = process.constrainedMemory();
  return [limit, limit - (inCgroup("total_rss", "anon") ?? 0) - (inCgroup("total_shmem", "shmem") ?? 0)];
}

/** Files in memory and memory that processes share, in bytes. */
const sharedMemory = (): number =>
  (isLimited() ? inCgroup("total_shmem", "shmem") : inKibibytes("/proc/meminfo", "Shmem")) ?? 0;

let limited: boolean | undefined;

/** True if the cgroup has less memory than the machine. Determined once, because it takes several reads. */
function isLimited(): boolean {
  if (limited !== undefined) return limited;
  const limit = process.constrainedMemory();
  limited = limit > 0 && limit < totalmem();
  return limited;
}

/** The first of these statistics that this process's cgroup provides. */
function inCgroup(...names: readonly string[]): number | undefined {
  const fields = new Map(
    cgroupStatistics()
      .split("\n")
      .map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])] as const),
  );
  return names.map((name) => fields.get(name)).find((size) => size !== undefined);
}

/** The memory statistics of this process's cgroup, version 1 or 2. */
function cgroupStatistics(): string {
  for (const line of textIn("/proc/self/cgroup").split("\n")) {
    const [, controllers = "", path = ""] = line.split(":");
    const root = controllers === "" ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    if (controllers !== "" && !controllers.split(",").includes("memory")) continue;
    const statistics = textIn(`${root}${path}/memory.stat`) || textIn(`${root}/memory.stat`);
    if (statistics !== "") return statistics;
  }
  return "";
}

const availableMemory = (): number => inKibibytes("/proc/meminfo", "MemAvailable") ?? freemem();

/** Converts a field that the kernel reports in KiB to bytes. */
function inKibibytes(path: string, field: string): number | undefined {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(textIn(path))?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** The resident memory of a process and its descendants, without shared memory, in bytes; 0 without /proc. */
function memoryOf(pid: number): number {
  const children = new Map<number, number[]>();
  for (const one of processes()) {
    const parent = Number(/^PPid:\s+(\d+)/m.exec(textIn(`/proc/${one}/status`))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), one]);
  }
  const below = (at: number): readonly number[] => [at, ...(children.get(at) ?? []).flatMap(below)];
  const of = (at: number, field: string) => inKibibytes(`/proc/${at}/status`, field) ?? 0;
  return below(pid).reduce((sum, at) => sum + of(at, "VmRSS") - of(at, "RssShmem"), 0);
}

/** Free disk space and memory, and how much programs must leave free, as text. */
export async function resourcesPhrase(
  folder: string,
): Promise<{ readonly ok: boolean; readonly says: string }> {
  const [, free] = memory();
  const onDisk = await freeBytes(folder);
  const disk = onDisk === undefined ? "an unknown amount" : inMebibytes(onDisk);
  const ok = free > 4 * reserveBytes && (onDisk ?? Number.POSITIVE_INFINITY) > 4 * reserveBytes;
  const says = `${disk} free on disk, ${inMebibytes(free)} in memory; a program is ended when it leaves less than ${inMebibytes(reserveBytes)}`;
  return { ok, says };
}

const inMebibytes = (bytes: number) => `${Math.floor(bytes / mebibyte)} MiB`;
