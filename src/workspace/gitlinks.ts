import { lstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { onDisk, readable } from "../git/git.ts";
import { submodule } from "../git/objects.ts";
import { mayNameRepositories } from "../processes/named-repositories.ts";
import type { Checkout } from "./checkout.ts";
import { type IndexFolder, isFolder, readIndexFile } from "./index-file.ts";

/**
 * The nested repositories that an index names. `git add` runs `git status` in each that is checked out, and that obeys
 * the nested repository's own settings, which an agent can write.
 */
export interface Gitlinks {
  /** Repositories to remove from the index first: `git add` does not run `git status` in one new to the index. */
  readonly forget: readonly string[];
  /** Repositories that are not checked out, and stay as they are. */
  readonly keep: readonly string[];
}

/** The nested repositories that the private index names. Paths have one character per byte. */
export async function gitlinksOf(checkout: Checkout): Promise<Gitlinks> {
  const paths = await nestedRepositories(checkout);
  const isKept = (path: string) => {
    const at = (below: string) =>
      lstatSync(onDisk(checkout.top, `${readable(path)}${below}`), { throwIfNoEntry: false });
    return at("")?.isDirectory() === true && at("/.git") === undefined;
  };
  const keep = paths.filter(isKept);
  return { keep, forget: paths.filter((path) => !keep.includes(path)) };
}

/** The paths of the nested repositories in the private index; names have one character per byte. */
export async function nestedRepositories(checkout: Checkout): Promise<readonly string[]> {
  const top = readIndexFile(checkout);
  if (top !== undefined) return submodulesIn(top, "");
  const bytes = await readFile(checkout.index).catch(() => undefined);
  if (bytes === undefined || !mayNameRepositories(bytes)) return [];
  const { out } = await checkout.git(["ls-files", "--stage", "-z"]);
  return out.split("\0").flatMap((line) => /^160000 \w+ \d\t(.*)$/s.exec(line)?.[1] ?? []);
}

const submodulesIn = (folder: IndexFolder, at: string): readonly string[] =>
  [...folder].flatMap(([name, item]) => {
    if (isFolder(item)) return submodulesIn(item, `${at}${name}/`);
    return item.mode === submodule ? [`${at}${name}`] : [];
  });
