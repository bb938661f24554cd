import { accessSync, constants } from "node:fs";

/** Whether this user may write to an existing file or folder. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
