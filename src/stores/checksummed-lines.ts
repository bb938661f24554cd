import { crc32 } from "node:zlib";

/**
 * The format of a log file: the line, a tab, eight hex digits, a line feed. The digits are the CRC-32 of all lines so
 * far, so that a changed, removed or moved line is detected. A `+` after them means that the same append continues in
 * the next line; an append is valid only with its last line.
 */
export interface Mark {
  /** The end of the line, in bytes. */
  readonly offset: number;
  readonly crc: number;
}

/** The checksum of an empty log, different for each run. */
export const firstMark = (runId: string): Mark => ({ offset: 0, crc: crc32(runId) });

export interface ChecksummedLine {
  readonly bytes: Buffer;
  /** One for each line. */
  readonly marks: readonly Mark[];
}

/** The bytes of one append, which are written after `from`. */
export function addChecksum(lines: readonly string[], from: Mark): ChecksummedLine {
  const marks: Mark[] = [];
  const parts: Buffer[] = [];
  let { offset, crc } = from;
  for (const [index, line] of lines.entries()) {
    const body = Buffer.from(line);
    const more = index < lines.length - 1;
    crc = checksum(body, { crc, more });
    const end = Buffer.from(ending(crc, more));
    parts.push(body, end);
    offset += body.length + end.length;
    marks.push({ offset, crc });
  }
  return { bytes: Buffer.concat(parts), marks };
}

export interface VerifiedLines {
  readonly lines: readonly string[];
  readonly marks: readonly Mark[];
  /** The first damaged line, counted from 0; the lines before it are intact. */
  readonly broken: number | undefined;
}

/** Verifies the lines in `bytes`, which start at `from`. Skips a torn end. */
export function verifyChecksum(bytes: Buffer, from: Mark): VerifiedLines {
  const lines: string[] = [];
  const marks: Mark[] = [];
  let whole = 0;
  let { offset, crc } = from;
  const result = (broken?: number) => ({
    lines: lines.slice(0, whole),
    marks: marks.slice(0, whole),
    broken,
  });
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, start);
    const read = line(end < 0 ? bytes.subarray(start, -1) : bytes.subarray(start, end), crc);
    // A complete record that is not followed by a line feed. A torn write cannot cause that.
    if (end < 0) return result(read === undefined ? undefined : lines.length);
    if (read === undefined) return result(lines.length);
    lines.push(read.text);
    offset += end + 1 - start;
    crc = read.crc;
    marks.push({ offset, crc });
    if (!read.more) whole = lines.length;
    start = end + 1;
  }
  return result();
}

const lineFeed = 0x0a;
const plus = 0x2b;

const ending = (crc: number, more: boolean) => `\t${crc.toString(16).padStart(8, "0")}${more ? "+" : ""}\n`;

const checksum = (body: Buffer, { crc, more }: { crc: number; more: boolean }) =>
  more ? crc32("+", crc32(body, crc)) : crc32(body, crc);

function line(bytes: Buffer, before: number) {
  const more = bytes.at(-1) === plus;
  const size = bytes.length - (more ? 10 : 9);
  if (size < 0) return undefined;
  const body = bytes.subarray(0, size);
  const crc = checksum(body, { crc: before, more });
  return `${bytes.toString("latin1", size)}\n` === ending(crc, more)
    ? { text: body.toString(), crc, more }
    : undefined;
}
