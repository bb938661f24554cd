import { lstatSync, type Stats, statSync } from "node:fs";
import { attempt } from "./lenient-reads.ts";

/** Whether a path exists, even as a dangling link. */
export const isThere = (path: string): boolean => kindOf(path) !== undefined;

/** What is at a path, without following a link; `undefined` if nothing can be there, as below a file. */
export const kindOf = (path: string): Stats | undefined =>
  attempt(() => lstatSync(path, { throwIfNoEntry: false }));

/** Whether a path is a file and not a link. */
export const isPlainFile = (path: string): boolean => kindOf(path)?.isFile() === true;

/** Whether a path is a file or a link to one. */
export const leadsToFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;
