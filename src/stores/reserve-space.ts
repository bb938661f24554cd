import { statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFull } from "../ports/disk-fault.ts";

/** About the size of one long answer. */
const answer = Buffer.alloc(512 * 1024);

const pathIn = (folder: string) => join(folder, "reserve");

/** Reserves space in a folder for one more answer; throws the disk's error if there is none. */
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

/** Releases the reserve. If it cannot be removed, the next process uses it. */
export function dropReserve(folder: string): void {
  try {
    unlinkSync(pathIn(folder));
  } catch {
    // Usually there is no reserve.
  }
}

/** Releases the reserve if the disk is full; true if there was one, so that writing again may succeed. */
export function useReserve(folder: string, error: unknown): boolean {
  if (!isFull(error) || statSync(pathIn(folder), { throwIfNoEntry: false }) === undefined) return false;
  dropReserve(folder);
  return true;
}
