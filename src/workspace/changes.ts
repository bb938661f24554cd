import { readable } from "../git/git.ts";
import type { Checkout } from "./checkout.ts";
import { type Change, knownIndex } from "./known-index.ts";

export const submodule = "160000";

/** The mode of a file that is not there. */
export const absent = "000000";

/** What the private index has other than a commit. */
export async function listChanges(checkout: Checkout, commit: string): Promise<readonly Change[]> {
  const known = await knownIndex(checkout);
  const changes = known?.changes.get(commit) ?? (await readIndexChanges(checkout, commit));
  known?.changes.set(commit, changes);
  return changes;
}

async function readIndexChanges(checkout: Checkout, commit: string): Promise<readonly Change[]> {
  const args = ["diff-index", "--cached", "--raw", "-z", "--no-renames", commit];
  const fields = (await checkout.git(args)).out.split("\0");
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before = "", after = ""] = (fields[at] ?? "").slice(1).split(" ");
    changes.push({ before, after, path: readable(fields[at + 1] ?? "") });
  }
  return changes;
}
