import { join } from "node:path";
import { readable } from "../git/git.ts";
import { readLooseBlob } from "../git/loose-blob.ts";
import { absent, link } from "../git/objects.ts";
import type { Checkout } from "./checkout.ts";
import { countLines, type LineCounts } from "./count-lines.ts";
import { type IndexEntry, type IndexFolder, isFolder, readIndexFile } from "./index-file.ts";
import type { Change } from "./known-index.ts";

/** A path with its entry before and now; one of them may be missing. */
interface Pair {
  /** One character per byte. */
  readonly path: string;
  readonly before: IndexEntry | undefined;
  readonly now: IndexEntry | undefined;
}

/**
 * How the private index differs from an earlier reading of it, in git's order, without starting git. `undefined` if only
 * git can read the index or count a file's lines.
 */
export function compareIndexes(checkout: Checkout, earlier: IndexFolder): readonly Change[] | undefined {
  const now = readIndexFile(checkout);
  if (now === undefined) return undefined;
  const pairs: Pair[] = [];
  if (!collect({ earlier, now, at: "" }, pairs)) return undefined;
  const changes: Change[] = [];
  for (const pair of pairs.sort((one, other) => (one.path < other.path ? -1 : 1))) {
    const lines = linesOf(checkout, pair);
    if (lines === undefined) return undefined;
    changes.push({ path: readable(pair.path), ...sidesOf(pair), ...lines });
  }
  return changes;
}

interface Folders {
  readonly earlier: IndexFolder | undefined;
  readonly now: IndexFolder | undefined;
  readonly at: string;
}

/** Collects the entries that differ; false if there are many, or if attributes may say how git counts lines. */
function collect({ earlier = nothing, now = nothing, at }: Folders, pairs: Pair[]): boolean {
  if (earlier.has(attributes) || now.has(attributes)) return false;
  for (const name of new Set([...earlier.keys(), ...now.keys()])) {
    const [old, item] = [earlier.get(name), now.get(name)];
    const pair = { path: `${at}${name}`, before: entryOf(old), now: entryOf(item) };
    if (pair.before?.object !== pair.now?.object || pair.before?.mode !== pair.now?.mode) pairs.push(pair);
    const below = { earlier: folderOf(old), now: folderOf(item), at: `${pair.path}/` };
    if ((below.earlier || below.now) && !collect(below, pairs)) return false;
  }
  return pairs.length <= mostChanges;
}

const nothing: IndexFolder = new Map();
const attributes = ".gitattributes";

/** For more files, one git process is faster than reading their objects one by one. */
const mostChanges = 50;

const folderOf = (item: IndexEntry | IndexFolder | undefined) => (isFolder(item) ? item : undefined);
const entryOf = (item: IndexEntry | IndexFolder | undefined) => (isFolder(item) ? undefined : item);

const sidesOf = ({ before, now }: Pair) => {
  const none = "0".repeat((before ?? now)?.object.length ?? 0);
  return {
    before: before?.mode ?? absent,
    mode: now?.mode ?? absent,
    beforeObject: before?.object ?? none,
    object: now?.object ?? none,
  };
};

function linesOf(checkout: Checkout, { before, now }: Pair): LineCounts | undefined {
  // A file that became a link, or a submodule: git counts those in its own way.
  const types = [before, now].flatMap((entry) => entry?.mode.slice(0, 3) ?? []);
  if (new Set(types).size > 1 || !types.every((type) => type === "100" || type === link.slice(0, 3)))
    return undefined;
  if (before?.object === now?.object) return { added: 0, removed: 0 };
  const stores = [checkout.store, checkout.commonDir].map((dir) => join(dir, "objects"));
  const [old, body] = [before, now].map((entry) =>
    entry === undefined ? Buffer.alloc(0) : readLooseBlob(stores, entry.object),
  );
  return old && body && countLines(old, body);
}
