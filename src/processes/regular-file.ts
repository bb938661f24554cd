import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { platform } from "node:process";

/** The text of a file that a program of the run may have created; see `readRegularBytes`. */
export const readRegularFile = (path: string): string | undefined => readRegularBytes(path)?.toString("utf8");

/**
 * The bytes of a file that a program of the run may have created; `undefined` if it is missing, is a link or not a
 * regular file, or is larger than 32 MiB. Never blocks, as reading a pipe would. With `within`, no folder on the path
 * may be a link that leads out of that folder.
 */
export function readRegularBytes(path: string, within?: string): Buffer | undefined {
  // Usually it is missing: an error would take much longer.
  if (!existsSync(path)) return undefined;
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

/** The text of a file that belongs to the user, who may have linked it. */
export function readLinkedFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readRegularFile(realpathSync.native(path));
  } catch {
    return undefined;
  }
}

/** The real path of the open file, even if the path leads elsewhere by now. */
const realPathOf = (file: number, path: string) =>
  realpathSync(platform === "linux" ? `/proc/self/fd/${file}` : path);

const mostBytes = 32 * 1024 * 1024;
