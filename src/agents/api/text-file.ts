import { isUtf8 } from "node:buffer";

/** A file's text, and how it becomes bytes again. */
export interface TextFile {
  readonly text: string;
  readonly isUtf8: boolean;
  /** The bytes of a changed text. Throws a sentence for the model if the file's encoding lacks one of its characters. */
  encode(text: string): Buffer;
}

/** Reads a file that is not UTF-8 as Latin-1, which has a character for each byte: what is not changed stays as it is. */
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

/** True for what no text contains. */
export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, 8_192).includes(0);

/** Lines of a text as they are shown, each with its number. */
interface Page {
  /** The first line, from 1. */
  readonly first: number;
  readonly limit: number;
  /** The most bytes; one line is shown even if it has more. */
  readonly bytes: number;
}

/** Whole lines of a text, as many as fit, and which of how many they are if there are others. */
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
