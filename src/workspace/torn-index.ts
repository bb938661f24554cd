import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeEmptyObjects } from "../git/empty-objects.ts";

/**
 * Removes what a power cut or a program damaged: empty objects, torn indexes and pipes. If an object was lost, also
 * removes the indexes, so that everything the checkout still has is stored again.
 */
export function removeTorn(store: string): void {
  removePipes(join(store, "refs"));
  const isIncomplete = removeEmptyObjects(store);
  for (const name of readdirSync(store)) {
    const path = join(store, name);
    if (/^index-[0-9a-f]{16}$/.test(name) && (isIncomplete || !isWhole(readFileSync(path))))
      rmSync(path, { force: true });
  }
}

/** git would wait for a pipe among the refs without end. */
function removePipes(refs: string): void {
  if (!existsSync(refs)) return;
  for (const entry of readdirSync(refs, { recursive: true, withFileTypes: true }))
    if (entry.isFIFO()) rmSync(join(entry.parentPath, entry.name), { force: true });
}

/** An index ends with its checksum, or with zeros if the user's settings disable it. */
function isWhole(index: Buffer): boolean {
  if (index.toString("latin1", 0, 4) !== "DIRC") return false;
  return (["sha1", "sha256"] as const).some((name) => {
    const length = name === "sha1" ? 20 : 32;
    const sum = index.subarray(-length);
    const isOmitted = sum.every((byte) => byte === 0);
    return isOmitted || createHash(name).update(index.subarray(0, -length)).digest().equals(sum);
  });
}
