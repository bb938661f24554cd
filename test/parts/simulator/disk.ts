import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname, join } from "node:path";

/**
 * The disks of all simulated machines, in memory, below a folder that does not exist. The real modules reach them
 * through `node:fs`, so any call can fail.
 */
export const simulatedRoot = "/simulated";

/** The failure of a call that writes: nothing is done, or half of it. */
export interface DiskFailure {
  readonly code: "ENOSPC" | "EDQUOT" | "EIO";
  readonly half: boolean;
}

/** Chooses the faults of the disks. */
export interface DiskFaults {
  /** The failure of a call that writes; `undefined` for success. */
  fail: (path: string) => DiskFailure | undefined;
  /** Calls `ring` when written data is synced, so that it survives a power cut. */
  readonly sync: (ring: () => void) => void;
}

interface Entry {
  readonly ino: number;
  bytes: Buffer;
  /** What survives a power cut. */
  durable: Buffer;
  mtimeMs: number;
}

const entries = new Map<string, Entry>();
const links = new Map<string, string>();
const folders = new Set<string>();
/** The folders of stopped machines: whatever a dead process would still do there has no effect. */
const stopped = new Set<string>();
const opened = new Map<number, { readonly path: string; readonly entry: Entry }>();
let inodes = 0;
let handles = 1_000_000;
let diskFaults: DiskFaults = { fail: () => undefined, sync: (ring) => ring() };

/** Empties all simulated disks. */
export function formatDisks(fresh: DiskFaults): void {
  entries.clear();
  links.clear();
  folders.clear();
  folders.add(simulatedRoot);
  stopped.clear();
  opened.clear();
  inodes = 0;
  diskFaults = fresh;
}

/** Stops a machine; with a power cut, its disk loses unsynced data. */
export function stopMachine(folder: string, losesPower: boolean): void {
  stopped.add(folder);
  // The kernel reports dead processes as such; here all run in one process.
  entries.delete(join(folder, "owner"));
  links.delete(join(folder, "owner"));
  for (const [path, entry] of entries)
    if (losesPower && dirname(path) === folder) entry.bytes = entry.durable;
}

/** Starts it again. */
export function startMachine(folder: string): void {
  folders.add(folder);
  stopped.delete(folder);
}

const isSimulated = (path: unknown): path is string =>
  typeof path === "string" && path.startsWith(simulatedRoot);

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: simulated, '${path}'`), { code, path });
}

function mayFail(path: string): void {
  if (stopped.has(dirname(path))) throw failure("EIO", path);
  const failed = diskFaults.fail(path);
  if (failed !== undefined) throw failure(failed.code, path);
}

function entryAt(path: string): Entry {
  const entry = entries.get(path);
  if (entry === undefined) throw failure("ENOENT", path);
  return entry;
}

function make(path: string): Entry {
  mayFail(path);
  if (!folders.has(dirname(path))) throw failure("ENOENT", path);
  inodes += 1;
  const entry = { ino: inodes, bytes: Buffer.alloc(0), durable: Buffer.alloc(0), mtimeMs: 0 };
  entries.set(path, entry);
  return entry;
}

const statOf = ({ ino, bytes, mtimeMs }: Entry) => ({
  ...{ ino, size: bytes.length, mtimeMs },
  isFile: () => true,
  isDirectory: () => false,
});

function writeAt(
  { path, entry }: { readonly path: string; readonly entry: Entry },
  bytes: Buffer,
  at: number,
) {
  if (stopped.has(dirname(path))) throw failure("EIO", path);
  const failed = diskFaults.fail(path);
  const part = failed === undefined ? bytes : bytes.subarray(0, failed.half ? bytes.length >> 1 : 0);
  const before = entry.bytes.subarray(0, at);
  entry.bytes = Buffer.concat([
    before,
    Buffer.alloc(at - before.length),
    part,
    entry.bytes.subarray(at + part.length),
  ]);
  if (failed !== undefined) throw failure(failed.code, path);
  return part.length;
}

function remove(path: string): boolean {
  if (stopped.has(dirname(path))) throw failure("EIO", path);
  return entries.delete(path) || links.delete(path);
}

const atHandle = (handle: number) => opened.get(handle) as { readonly path: string; readonly entry: Entry };

/** The calls that the product makes below the root; other functions of `node:fs` do not know it. */
const calls = {
  existsSync: (path: string) => entries.has(path) || folders.has(path),
  readdirSync: (path: string) =>
    [...entries.keys(), ...links.keys()]
      .filter((name) => dirname(name) === path)
      .map((name) => basename(name)),
  statSync: (path: string, options?: { readonly throwIfNoEntry?: boolean }) =>
    options?.throwIfNoEntry === false && !entries.has(path) ? undefined : statOf(entryAt(path)),
  lstatSync: (path: string, options?: { readonly throwIfNoEntry?: boolean }) => calls.statSync(path, options),
  lutimesSync: () => undefined,
  readFileSync: (path: string, encoding?: BufferEncoding) => {
    const { bytes } = entryAt(path);
    return encoding === undefined ? bytes : bytes.toString(encoding);
  },
  writeFileSync(path: string, content: string | Buffer, options?: { readonly flag?: string }) {
    if (options?.flag === "wx" && entries.has(path)) throw failure("EEXIST", path);
    const entry = entries.get(path) ?? make(path);
    entry.bytes = Buffer.alloc(0);
    writeAt({ path, entry }, Buffer.from(content), 0);
  },
  linkSync(from: string, to: string) {
    if (entries.has(to) || links.has(to)) throw failure("EEXIST", to);
    mayFail(to);
    entries.set(to, entryAt(from));
  },
  symlinkSync(target: string, path: string) {
    if (entries.has(path) || links.has(path)) throw failure("EEXIST", path);
    mayFail(path);
    links.set(path, target);
  },
  readlinkSync(path: string) {
    const target = links.get(path);
    if (target === undefined) throw failure(entries.has(path) ? "EINVAL" : "ENOENT", path);
    return target;
  },
  renameSync(from: string, to: string) {
    mayFail(to);
    entries.set(to, entryAt(from));
    entries.delete(from);
  },
  unlinkSync(path: string) {
    if (!remove(path)) throw failure("ENOENT", path);
  },
  rmSync(path: string, options?: { readonly force?: boolean }) {
    if (!remove(path) && options?.force !== true) throw failure("ENOENT", path);
  },
  openSync(path: string, flags?: string | number) {
    const mayMake = typeof flags === "number" && (flags & fs.constants.O_CREAT) !== 0;
    const entry = folders.has(path) ? undefined : mayMake ? (entries.get(path) ?? make(path)) : entryAt(path);
    handles += 1;
    if (entry !== undefined) opened.set(handles, { path, entry });
    return handles;
  },
} as const;

/** Bytes, offset and length in them, and position in the file. */
type Span = readonly [bytes: Buffer, from: number, length: number, at: number];

/** The calls that take a file descriptor. */
const handleCalls = {
  closeSync: (handle: number) => void opened.delete(handle),
  fstatSync: (handle: number) => statOf(atHandle(handle).entry),
  ftruncateSync(handle: number, length: number) {
    const { path, entry } = atHandle(handle);
    if (!stopped.has(dirname(path))) entry.bytes = entry.bytes.subarray(0, length);
  },
  writeSync: (handle: number, ...[bytes, from, length, at]: Span) =>
    writeAt(atHandle(handle), bytes.subarray(from, from + length), at),
  readSync: (handle: number, ...[into, start, length, at]: Span) =>
    atHandle(handle).entry.bytes.copy(into, start, at, at + length),
  fsyncSync: () => undefined,
  fdatasync(handle: number, done: (error: Error | null) => void) {
    const { path, entry } = atHandle(handle);
    const { bytes } = entry;
    diskFaults.sync(() => {
      if (!stopped.has(dirname(path))) entry.durable = bytes;
      done(null);
    });
  },
} as const;

type Call = (first: unknown, ...rest: unknown[]) => unknown;

function reroute(
  to: Readonly<Record<string, unknown>>,
  isOurs: (first: unknown, second: unknown) => boolean,
): void {
  const from = fs as unknown as Record<string, Call>;
  for (const [name, ours] of Object.entries(to)) {
    const real = from[name] as Call;
    from[name] = (first, ...rest) =>
      isOurs(first, rest[0]) ? (ours as Call)(first, ...rest) : real(first, ...rest);
  }
}

// A link has its target before its own path.
reroute(calls, (first, second) => isSimulated(first) || isSimulated(second));
reroute(handleCalls, (handle) => typeof handle === "number" && handle >= 1_000_000);
syncBuiltinESMExports();
