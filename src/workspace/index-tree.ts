import { bytes } from "../git/git.ts";
import { folderMode, type ObjectFormat, objectId, treeBody, writeObject } from "../git/objects.ts";
import type { Checkout } from "./checkout.ts";
import { type IndexFolder, isFolder, readIndexFile } from "./index-file.ts";
import type { Change } from "./known-index.ts";

/**
 * The tree of the private index, without starting git. Writes only the folders that changed since a commit; that commit
 * already has the others. `undefined` if only git can read the index.
 */
export async function writeIndexTree(
  checkout: Checkout,
  format: ObjectFormat,
  changes: readonly Change[],
): Promise<string | undefined> {
  const top = readIndexFile(checkout);
  if (top === undefined) return undefined;
  const place = { gitDir: checkout.store, format };
  const changed = foldersOf(changes);
  const treeOf = (folder: IndexFolder, path: string): string => {
    const entries = [...folder].map(([name, item]) =>
      isFolder(item)
        ? { name, mode: folderMode, object: treeOf(item, `${path}${name}/`) }
        : { name, mode: item.mode, object: item.object },
    );
    const body = treeBody(entries);
    return changed.has(path) ? writeObject(place, "tree", body) : objectId(format, "tree", body);
  };
  return treeOf(top, "");
}

/** The folders of changed files and all their parents, each with a slash at the end; the top is the empty text. */
function foldersOf(changes: readonly Change[]): ReadonlySet<string> {
  const folders = new Set([""]);
  for (const path of changes.map((change) => bytes(change.path)))
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1))
      folders.add(path.slice(0, end + 1));
  return folders;
}
