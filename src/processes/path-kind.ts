import { lstatSync, statSync } from "node:fs";

/** Whether a path exists, even as a dangling link. */
export const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Whether a path is a file and not a link. */
export const isPlainFile = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Whether a path is a file or a link to one. */
export const leadsToFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;
