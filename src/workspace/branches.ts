import { git, readable } from "../git/git.ts";

/** The current commit and branches of a checkout; `undefined` if unknown. */
export interface Branches {
  /** The commit that is checked out. */
  readonly head: string | undefined;
  /** The branch that is checked out; `undefined` if HEAD is detached. */
  readonly branch: string | undefined;
  /** The default branch of the remote `origin`, if the checkout knows it. */
  readonly remoteDefault: string | undefined;
}

/** Reads the current commit and branches; all `undefined` if there is no checkout. */
export async function readBranches(cwd: string): Promise<Branches> {
  const names = ["HEAD^{commit}", "--symbolic-full-name", "HEAD", "refs/remotes/origin/HEAD"];
  // rev-parse skips missing values; the present ones can be told apart by their form.
  const lines = await ask(cwd, ["rev-parse", "--revs-only", ...names]);
  const nameAfter = (prefix: string) => lines?.find((line) => line.startsWith(prefix))?.slice(prefix.length);
  const head = lines?.find((line) => /^[0-9a-f]{40,64}$/.test(line));
  return {
    head,
    branch: nameAfter("refs/heads/") ?? (lines && head === undefined ? await unbornBranch(cwd) : undefined),
    remoteDefault: nameAfter("refs/remotes/origin/"),
  };
}

/** The parents of a commit, also in a shallow clone; `undefined` if the checkout lacks the commit. */
export async function readParents(cwd: string, commit: string): Promise<readonly string[] | undefined> {
  const lines = await ask(cwd, ["cat-file", "commit", commit]);
  const header = lines?.slice(
    0,
    lines.findIndex((line) => line.startsWith("author ")),
  );
  return header?.flatMap((line) => /^parent ([0-9a-f]+)$/.exec(line)?.[1] ?? []);
}

/** The branch that the first commit will create. */
async function unbornBranch(cwd: string): Promise<string | undefined> {
  return (await ask(cwd, ["symbolic-ref", "--short", "-q", "HEAD"]))?.[0];
}

async function ask(cwd: string, args: readonly string[]): Promise<readonly string[] | undefined> {
  const answer = await git({ cwd, args }).catch(() => undefined);
  return answer && readable(answer.out).split("\n").filter(Boolean);
}
