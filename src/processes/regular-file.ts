import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { platform } from "node:process";

/** The text of such a file. */
export const readRegularFile = (path: string): string | undefined => readRegularBytes(path)?.toString("utf8");

/**
 * The bytes of a file that a program of the run may have put there; `undefined` if it is not there, is a link or no file,
 * or holds more than 32 MiB. It never waits: reading a pipe would stop this process for ever. With `within`, a link in
 * the place of a folder on the way must not lead out of that folder either.
 */
export function readRegularBytes(path: string, within?: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
    if (within !== undefined && !realPathOf(file, path).startsWith(`${realpathSync(within)}/`))
      return undefined;
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= mostBytes ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The text of a file of the user, who may have linked it from elsewhere. */
export function readLinkedFile(path: string): string | undefined {
  try {
    return readRegularFile(realpathSync(path));
  } catch {
    return undefined;
  }
}

/** Of the file that is open, whatever has taken its place since. */
const realPathOf = (file: number, path: string) =>
  realpathSync(platform === "linux" ? `/proc/self/fd/${file}` : path);

const mostBytes = 32 * 1024 * 1024;
