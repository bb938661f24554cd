import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { bytes, readable } from "../git/git.ts";
import type { Checkout } from "./checkout.ts";

/**
 * Protected files that are ignored only because the ignore rules changed since a commit: an agent's `.gitignore` must
 * not hide a test it added. Files that the commit's own rules ignore, such as a test runner's cache, are not included.
 */
export async function findNewlyIgnored(search: {
  readonly checkout: Checkout;
  readonly commit: string;
  isProtected(path: string): boolean;
}): Promise<readonly string[]> {
  const { checkout, commit, isProtected } = search;
  const ignored = await checkout.git(["ls-files", "--others", "--ignored", "--exclude-standard", "-z"]);
  const suspects = split(ignored.out).map(readable).filter(isProtected);
  if (suspects.length === 0) return [];
  const allowed = await ignoredBy({ checkout, commit, suspects });
  return suspects.filter((path) => !allowed.has(path));
}

/** Whether tracked files of a commit are now ignored that were not: linters that read these rules would skip them. */
export async function hidesTracked(search: {
  readonly checkout: Checkout;
  readonly commit: string;
}): Promise<boolean> {
  const { checkout, commit } = search;
  const listed = await checkout.git(["ls-files", "--cached", "--ignored", "--exclude-standard", "-z"]);
  const ignored = new Set(split(listed.out).map(readable));
  if (ignored.size === 0) return false;
  const tracked = split(
    (await checkout.git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit])).out,
  ).map(readable);
  const suspects = tracked.filter((path) => ignored.has(path));
  if (suspects.length === 0) return false;
  return (await ignoredBy({ checkout, commit, suspects })).size < suspects.length;
}

/** The paths that git ignores by a commit's `.gitignore` files alone. */
export async function ignoredBy(question: {
  readonly checkout: Checkout;
  readonly commit: string;
  readonly suspects: readonly string[];
}): Promise<ReadonlySet<string>> {
  const rules = join(question.checkout.dir, "rules");
  try {
    return await askRules({ ...question, rules });
  } finally {
    await rm(rules, { recursive: true, force: true });
  }
}

/** The paths that git ignores by these rules: asks it in a folder with only these files. */
async function askRules(question: {
  readonly checkout: Checkout;
  readonly commit: string;
  readonly rules: string;
  readonly suspects: readonly string[];
}): Promise<ReadonlySet<string>> {
  const { checkout, commit, rules, suspects } = question;
  await rm(rules, { recursive: true, force: true });
  await mkdir(rules, { recursive: true });
  const env = { GIT_WORK_TREE: rules, GIT_INDEX_FILE: join(rules, ".git-index") };
  const files = split(
    (await checkout.git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit])).out,
  );
  const stdin = files.filter((path) => /(^|\/)\.gitignore$/.test(path)).map((path) => `${path}\0`);
  await checkout.git(["read-tree", commit], { env });
  await checkout.git(["checkout-index", `--prefix=${rules}/`, "-z", "--stdin"], {
    env,
    stdin: stdin.join(""),
  });
  const ignored = await checkout.git(["-C", rules, "check-ignore", "--no-index", "--stdin", "-z"], {
    env,
    accept: [0, 1],
    stdin: suspects.map((path) => `${bytes(path)}\0`).join(""),
  });
  return new Set(split(ignored.out).map(readable));
}

function split(list: string): readonly string[] {
  return list.split("\0").filter((path) => path !== "");
}
