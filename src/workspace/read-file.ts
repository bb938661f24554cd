import { constants } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import type { FileAnswer, FileRequest } from "../ports/file.ts";
import { noSuchFile } from "../ports/unreadable.ts";

/**
 * Reads a text file in a folder to which programs of the run may be writing. Verifies that the opened file is the one
 * the path leads to, with links resolved, and inside the folder. Never waits for a pipe or device.
 */
export async function readFileIn({ path, of, most }: FileRequest, folder: string): Promise<FileAnswer> {
  const outside = {
    because: of === "checkout" ? "it is outside of the checkout" : "it is outside of the artifacts",
  };
  if (isAbsolute(path) || path.split(/[\\/]/).includes("..")) return outside;
  const written = join(folder, path);
  let file: FileHandle | undefined;
  try {
    file = await open(written, constants.O_RDONLY | constants.O_NONBLOCK);
    const opened = await file.stat();
    const real = await realpath(written);
    const stats = await stat(real);
    if (stats.ino !== opened.ino || stats.dev !== opened.dev || !isBelow(real, await realpath(folder)))
      return outside;
    if (!opened.isFile()) return { because: "it is no regular file" };
    const bytes = Buffer.alloc(Math.min(opened.size, most) + 1);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    if (opened.size > most || bytesRead > most) return { because: `it is larger than ${most / 1024} KiB` };
    return { text: bytes.toString("utf8", 0, bytesRead) };
  } catch (error) {
    return { because: why(error as NodeJS.ErrnoException) };
  } finally {
    await file?.close();
  }
}

function isBelow(file: string, folder: string): boolean {
  const path = relative(folder, file);
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

const why = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "ENOENT" || code === "ENOTDIR" ? noSuchFile : `it cannot be read: ${code ?? message}`;
