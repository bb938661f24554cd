import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { BrokenLogError, StaleLogError } from "../ports/store.ts";
import { addChecksum, firstMark, type Mark, verifyChecksum } from "./checksummed-lines.ts";

/** The log of one run in one file. Reading needs no lock; a caller of `append` must hold one. */
export interface LogFile {
  read(after: number): readonly string[];
  /** The lines survive a kill of this process immediately, and a power cut once `synced` resolves. */
  append(after: number, lines: readonly string[]): void;
  /** Resolves when everything appended is on disk; rejects if it cannot be written. */
  synced(): Promise<void>;
}

export function logFile(runId: string, path: string, damaged = damagedLog): LogFile {
  // The offset after each complete line. Lines before the last offset are read again only on request.
  let marks: Mark[] = [firstMark(runId)];
  let file: number | undefined;
  let syncing: Promise<void> = Promise.resolve();

  const read = (after: number): readonly string[] => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now === undefined || now.ino !== file || now.size < last(marks).offset) marks = [firstMark(runId)];
    file = now?.ino;
    const start = Math.min(after, marks.length - 1);
    const from = marks[start] ?? firstMark(runId);
    if (now === undefined || now.size === from.offset) return [];
    const verified = verifyChecksum(bytesOf(path, from.offset, now.size), from);
    if (verified.broken !== undefined) {
      marks = [firstMark(runId)]; // the writer may have undone what we knew
      if (start > 0) return read(after);
      throw damaged({ runId, path, line: verified.broken + 1 });
    }
    marks.length = start + 1;
    for (const mark of verified.marks) marks.push(mark);
    return verified.lines.slice(after - start);
  };

  return {
    read,
    append(after, lines) {
      read(marks.length - 1);
      const count = marks.length - 1;
      if (count !== after)
        throw new StaleLogError(`run ${runId} has ${count} lines, not ${after}: read again`);
      if (lines.length === 0) return;
      const sealed = addChecksum(lines, last(marks));
      const written = write(path, sealed.bytes, last(marks).offset);
      file = written.inode;
      syncing = written.synced;
      // The next append reports the error; until then there may be no listener.
      syncing.catch(() => undefined);
      for (const mark of sealed.marks) marks.push(mark);
    },
    synced: () => syncing,
  };
}

/** The result of repairing a damaged log. */
export interface Repaired {
  /** How many lines were intact and remain. */
  readonly lines: number;
  /** The path of the copy of the damaged file. */
  readonly kept: string;
}

/**
 * Truncates a damaged log to its last complete append, and keeps a copy of the damaged file next to it; `undefined` if
 * the log is intact.
 */
export function repairLog(runId: string, path: string): Repaired | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return undefined;
  const verified = verifyChecksum(bytesOf(path, 0, size), firstMark(runId));
  if (verified.broken === undefined) return undefined;
  let number = Date.now();
  // An earlier copy may have the same time, also because a clock was set back.
  while (existsSync(`${path}.damaged-${number}`)) number += 1;
  const kept = `${path}.damaged-${number}`;
  copyFileSync(path, kept, constants.COPYFILE_EXCL);
  truncateSync(path, verified.marks.at(-1)?.offset ?? 0);
  return { lines: verified.lines.length, kept };
}

const last = (marks: readonly Mark[]) => marks.at(-1) as Mark;

interface Damage {
  readonly runId: string;
  readonly path: string;
  readonly line: number;
}

/** The error for a log that does not match its checksums. */
export const damagedLog = ({ runId, path, line }: Damage) =>
  new BrokenLogError(
    `the log of run ${runId} is damaged at line ${line} of ${path}: the line does not fit its checksum. ` +
      `Cut it to its last whole line with \`until-green repair ${runId}\`, which keeps the damaged file; ` +
      `or put the file back from a copy, or delete ${dirname(path)} and start a new run`,
  );

function bytesOf(path: string, from: number, to: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.allocUnsafe(to - from);
    let filled = 0;
    for (let more = -1; more !== 0 && filled < bytes.length; filled += more) {
      more = readSync(file, bytes, filled, bytes.length - filled, from + filled);
    }
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

interface Written {
  readonly inode: number;
  readonly synced: Promise<void>;
}

/** Writes at `offset` and removes a torn end; if it fails, nothing is written. */
function write(path: string, bytes: Buffer, offset: number): Written {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o666);
  try {
    const before = fstatSync(file);
    if (before.size > offset) ftruncateSync(file, offset);
    writeWhole(file, bytes, offset);
    if (offset === 0) keepFolders(path);
    return { inode: before.ino, synced: sync(file) };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function writeWhole(file: number, bytes: Buffer, offset: number): void {
  try {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(file, bytes, done, bytes.length - done, offset + done);
    }
  } catch (error) {
    ftruncateSync(file, offset);
    throw error;
  }
}

/** Syncs a file to disk in the background, and closes it. */
const sync = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(file, (error) => {
      closeSync(file);
      if (error) reject(error);
      else resolve();
    });
  });

/** After a power cut, a new file exists only if its folder and the parent folder were synced too. */
function keepFolders(path: string): void {
  for (const folder of [dirname(path), dirname(dirname(path))]) {
    const file = openSync(folder, "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}
