import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { BrokenLogError, StaleLogError } from "../../ports/store.ts";
import { firstMark, type Mark, seal, unseal } from "./sealed-lines.ts";

/** The log of one run in one file. Reading needs no lock; for `append` the caller holds one. */
export interface LogFile {
  read(after: number): readonly string[];
  /** The lines outlive this process at once, and a power cut when `synced` next resolves. */
  append(after: number, lines: readonly string[]): void;
  /** Resolves when all that was appended is on the disk; rejects when it cannot be brought there. */
  synced(): Promise<void>;
}

export function logFile(runId: string, path: string): LogFile {
  // After each line found whole; what is before the last mark is not read again unless asked for.
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
    const found = unseal(bytesOf(path, from.offset, now.size), from);
    if (found.broken !== undefined) {
      marks = [firstMark(runId)]; // what we knew may have been undone by its writer
      if (start > 0) return read(after);
      throw damaged({ runId, path, line: found.broken + 1 });
    }
    marks.length = start + 1;
    for (const mark of found.marks) marks.push(mark);
    return found.lines.slice(after - start);
  };

  return {
    read,
    append(after, lines) {
      read(marks.length - 1);
      const count = marks.length - 1;
      if (count !== after)
        throw new StaleLogError(`run ${runId} has ${count} lines, not ${after}: read again`);
      if (lines.length === 0) return;
      const sealed = seal(lines, last(marks));
      const written = write(path, sealed.bytes, last(marks).offset);
      file = written.inode;
      syncing = written.synced;
      // Asked for by the next append; until then nobody may be listening.
      syncing.catch(() => undefined);
      for (const mark of sealed.marks) marks.push(mark);
    },
    synced: () => syncing,
  };
}

const last = (marks: readonly Mark[]) => marks.at(-1) as Mark;

const damaged = ({ runId, path, line }: { runId: string; path: string; line: number }) =>
  new BrokenLogError(
    `the log of run ${runId} is damaged at line ${line} of ${path}: the line does not fit its checksum. ` +
      `Put the file back from a copy, or delete ${dirname(path)} and start a new run`,
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

/** Writes at `offset`, cutting off what a kill left there; on failure nothing remains. */
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

/** Brings a file to the disk beside whatever the run does next, and closes it. */
const sync = (file: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(file, (error) => {
      closeSync(file);
      if (error) reject(error);
      else resolve();
    });
  });

/** A new file outlives a power cut only when its folder, and that one's, are written too. */
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
