import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * The text of a file that a program of the run may have put there; `undefined` if it is not there, is no file, or holds
 * more than 32 MiB. It never waits: reading a pipe would stop this process for ever.
 */
export function readPlainFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= mostBytes ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const mostBytes = 32 * 1024 * 1024;
