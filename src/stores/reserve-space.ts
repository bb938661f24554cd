import { statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFull } from "../ports/disk-fault.ts";

/** The size of one long answer's record. */
const answer = Buffer.alloc(512 * 1024);

const pathIn = (folder: string) => join(folder, "reserve");

/** Keeps room in a folder for one more answer; throws what the disk says where there is none. */
export function reserveSpace(folder: string): void {
  const path = pathIn(folder);
  if (statSync(path, { throwIfNoEntry: false })?.size === answer.length) return;
  try {
    writeFileSync(path, answer);
  } catch (error) {
    dropReserve(folder);
    throw error;
  }
}

/** Gives the room back; what cannot be removed is the reserve of the next process. */
export function dropReserve(folder: string): void {
  try {
    unlinkSync(pathIn(folder));
  } catch {
    // Usually there is none.
  }
}

/** Gives the room back if the disk is full; true if there was some, so that writing again may succeed. */
export function useReserve(folder: string, error: unknown): boolean {
  if (!isFull(error) || statSync(pathIn(folder), { throwIfNoEntry: false }) === undefined) return false;
  dropReserve(folder);
  return true;
}
