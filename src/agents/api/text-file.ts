import { isUtf8 } from "node:buffer";

/** A file's text, and how to encode it again. */
export interface TextFile {
  readonly text: string;
  readonly isUtf8: boolean;
  /**
   * The bytes of a changed text. Throws a sentence for the model if the file's encoding lacks one of its characters.
   */
  encode(text: string): Buffer;
}

/**
 * Decodes a file that is not UTF-8 as Latin-1, which maps each byte to one character, so that unchanged parts stay
 * identical.
 */
export function readText(bytes: Buffer): TextFile {
  if (isUtf8(bytes))
    return { text: bytes.toString("utf8"), isUtf8: true, encode: (text) => Buffer.from(text) };
  return {
    text: bytes.toString("latin1"),
    isUtf8: false,
    encode(text) {
      const strange = /[\u{100}-\u{10ffff}]/u.exec(text)?.[0];
      if (strange !== undefined)
        throw new Error(`the file is not UTF-8 and cannot contain ${strange}: convert it first, with iconv`);
      return Buffer.from(text, "latin1");
    },
  };
}

/** True if the content contains a byte that no text contains. */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, 8_192).includes(0);

/** A range of lines to show, with line numbers. */
interface Page {
  /** The first line, from 1. */
  readonly first: number;
  readonly limit: number;
  /** Maximum bytes; one line is shown even if it is longer. */
  readonly bytes: number;
}

/** As many whole lines of a text as fit; if some are left out, says which lines are shown. */
export function pageOf(text: string, { first, limit, bytes }: Page): string {
  if (text === "") return "(an empty file)";
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (first > lines.length) return `(the file has ${lines.length} lines: there is no line ${first})`;
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(first - 1, first - 1 + limit)) {
    const numbered = `${first + shown.length}\t${line}`;
    size += Buffer.byteLength(numbered) + 1;
    if (size > bytes && shown.length > 0) break;
    shown.push(numbered);
  }
  const last = first + shown.length - 1;
  const isPart = first > 1 || last < lines.length;
  const rest = `\n(lines ${first} to ${last} of ${lines.length}; use offset and limit for others)`;
  return `${shown.join("\n")}${isPart ? rest : ""}`;
}
