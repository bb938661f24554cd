import { writeSync } from "node:fs";
import { pasteable } from "./invocation.ts";

/** Writes to stdout synchronously, so that the text is complete even if the process is killed next. */
export function print(text: string): void {
  try {
    writeAll(1, text);
  } catch (error) {
    throw new PrintError(`standard output cannot be written: ${(error as Error).message}`);
  }
}

/** Writes text for people to stdout, with commands that can be pasted. */
export const show = (text: string): void => print(pasteable(text));

/** Writes a message for people to stderr, with commands that can be pasted. Write errors are ignored. */
export function say(text: string): void {
  try {
    writeAll(2, pasteable(text));
  } catch {
    // a full disk or a closed descriptor: the record is what matters
  }
}

/** The requested output could not be written. */
export class PrintError extends Error {
  override readonly name = "PrintError";
}

interface Notice {
  readonly code: string;
  readonly message: string;
  readonly [more: string]: unknown;
}

let notices = 0;

/** Prints an event that belongs to no run; such events have their own numbering. */
export function printNotice(notice: Notice): void {
  notices += 1;
  const head = { v: 1, seq: notices, at: new Date().toISOString(), run: "", type: "notice" };
  print(`${JSON.stringify({ ...head, ...notice })}\n`);
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      // If the reader is slow, wait; if it is gone, continue.
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
