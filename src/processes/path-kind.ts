import { lstatSync, statSync } from "node:fs";

/** Whether there is anything at a path, also a link that leads nowhere. */
export const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Whether a path is a file, and no link to one. */
export const isPlainFile = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Whether a path leads to a file. */
export const leadsToFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;
