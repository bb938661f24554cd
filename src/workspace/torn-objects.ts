import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes what a power cut left of a repository's index and of its newest objects: git does not sync them, and neither
 * replaces an empty object nor reads a torn index. What the checkout still has is stored again, also what an index
 * takes for stored.
 */
export async function removeTorn(store: string): Promise<void> {
  const objects = join(store, "objects");
  const folders = (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const empty = (await Promise.all(folders.map((name) => emptyIn(join(objects, name))))).flat();
  const names = await readdir(store);
  const indexes = names.filter((name) => /^index-[0-9a-f]{16}$/.test(name)).map((name) => join(store, name));
  const isTorn = async (path: string) => empty.length > 0 || !isWhole(await readFile(path));
  const torn = await Promise.all(indexes.map(async (path) => ((await isTorn(path)) ? [path] : [])));
  await Promise.all([...empty, ...torn.flat()].map((path) => rm(path, { force: true })));
}

async function emptyIn(folder: string): Promise<readonly string[]> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const sizes = await Promise.all(paths.map((path) => stat(path)));
  return paths.filter((_, at) => sizes[at]?.size === 0);
}

/** An index ends with its checksum, or with zeros if its owner's settings omit that. */
function isWhole(index: Buffer): boolean {
  if (index.toString("latin1", 0, 4) !== "DIRC") return false;
  return (["sha1", "sha256"] as const).some((name) => {
    const length = name === "sha1" ? 20 : 32;
    const sum = index.subarray(-length);
    const isOmitted = sum.every((byte) => byte === 0);
    return isOmitted || createHash(name).update(index.subarray(0, -length)).digest().equals(sum);
  });
}
