import { git, readable } from "./git.ts";

/** Where a checkout stands; what it does not say is `undefined`. */
export interface Branches {
  /** The commit checked out. */
  readonly head: string | undefined;
  /** The branch checked out, unless HEAD is detached. */
  readonly branch: string | undefined;
  /** The default branch of the remote `origin`, where the checkout knows it. */
  readonly remoteDefault: string | undefined;
}

/** Reads where the checkout of a folder stands; all is `undefined` where there is none. */
export async function readBranches(cwd: string): Promise<Branches> {
  const ask = async (args: readonly string[]) => {
    const answer = await git({ cwd, args }).catch(() => undefined);
    return readable(answer?.out ?? "").trim() || undefined;
  };
  const [head, branch, remote] = await Promise.all([
    ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
    ask(["symbolic-ref", "--short", "-q", "HEAD"]),
    ask(["symbolic-ref", "--short", "-q", "refs/remotes/origin/HEAD"]),
  ]);
  return { head, branch, remoteDefault: remote?.replace(/^origin\//, "") };
}
