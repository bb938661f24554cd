import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { tempPath } from "./temp-folder.ts";

/**
 * Opens an unlinked file with this content for a program's standard input; returns its descriptor, which the caller
 * closes. The file is complete before the program starts, so a program whose parent is killed never reads half of it.
 * It has no name: only its readers can reach it, and it disappears with the last of them.
 */
export function openInput(content: string | Uint8Array): number {
  const path = tempPath("input");
  const file = openNew(path);
  try {
    unlinkSync(path);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    // Written by position, so that the descriptor's offset stays at the start.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Throws without an error code: with the ENOENT of a missing folder, the program would be reported as missing. */
function openNew(path: string): number {
  try {
    return openSync(path, "wx+", 0o600);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOENT", "ENOTDIR", "EACCES", "EROFS"].includes(code)) throw error;
    throw new Error(
      `its input cannot be written to ${tmpdir()} (${code}); create that folder, make it writable, or set TMPDIR to another one`,
      { cause: error },
    );
  }
}
