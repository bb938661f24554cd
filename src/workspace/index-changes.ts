import { bytes, readable } from "../git/git.ts";
import { absent, link, submodule } from "../git/objects.ts";
import type { Checkout } from "./checkout.ts";

/** A file in the private index. */
export interface Entry {
  readonly path: string;
  readonly object: string;
  readonly isTracked: boolean;
}

/** The files in the index that differ from a commit. */
export async function differing(checkout: Checkout, head: string | undefined): Promise<readonly Entry[]> {
  if (head === undefined) {
    const { out } = await checkout.git(["ls-files", "--stage", "-z"]);
    return out.split("\0").flatMap((row) => {
      const [, object = "", path = ""] = /^100\d+ (\w+) 0\t([\s\S]+)$/.exec(row) ?? [];
      return path === "" ? [] : [{ path: readable(path), object, isTracked: false }];
    });
  }
  const args = ["diff-index", "--cached", "--raw", "-r", "-z", "--no-abbrev", "--no-renames", head];
  const fields = (await checkout.git(args)).out.split("\0");
  return fields.flatMap((row, at) => {
    const [before = "", mode = "", , object = ""] = row.slice(1).split(" ");
    if (at % 2 === 1 || [absent, link, submodule, ""].includes(mode)) return [];
    return [{ path: readable(fields[at + 1] ?? ""), object, isTracked: before !== `${absent}` }];
  });
}

/** Resets paths in the private index to a commit, or removes them if the commit lacks them; the files stay. */
export async function unstage(
  checkout: Checkout,
  commit: string | undefined,
  paths: readonly string[],
): Promise<void> {
  const stdin = paths.map((path) => `:(top,literal)${bytes(path)}\0`).join("");
  const which = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const back =
    commit === undefined
      ? ["rm", "--cached", "--quiet", "--ignore-unmatch", ...which]
      : ["reset", "--quiet", ...which, commit];
  await checkout.git(back, { stdin });
}
