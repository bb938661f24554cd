import { deepen, isCutOff } from "../git/deepen.ts";
import { author, git, readable } from "../git/git.ts";
import { findRemote, type Remote } from "../git/remote.ts";
import { fetchObjects, listRefs, openRetries, pushOnce } from "../git/remote-calls.ts";
import { isForbidden, isRefused, reasonOf, wordsOfHost } from "../git/remote-faults.ts";
import type { Environment } from "../processes/environment.ts";

/**
 * A branch at a git host, accessed with a token from a private repository: no hook or setting of a checkout applies.
 */
export interface RemoteBranch {
  /** The commit at its tip; `undefined` if the branch does not exist. */
  readonly tip: string | undefined;
  /** The message of that commit. */
  readonly message: string;
  /** Its parents. */
  readonly parents: readonly string[];
  /** True if until-green created that commit. Its message proves nothing, because amending or rebasing keeps it. */
  readonly isOurs: boolean;
}

export interface BranchPlace {
  /** The private repository. */
  readonly gitDir: string;
  readonly remote: Remote;
  readonly branch: string;
}

interface BranchHost {
  /** The checkout. */
  readonly cwd: string;
  /** The repository's address, without a token. */
  readonly url: string;
  readonly token: string;
  readonly environment: Environment;
}

/** Resolves the git host before an agent runs, because an agent may change the settings that are read here. */
export const findBranchHost = (host: BranchHost): Promise<Remote> =>
  findRemote({ ...host, remote: host.url });

/** A push that the host rejected; the message says why, and what to do. */
export class PushError extends Error {
  override readonly name = "PushError";
  /** Whether the host would have accepted the push without force. */
  readonly forbidsForce: boolean;

  constructor(message: string, text: string) {
    super(message);
    this.forbidsForce = /force-push|denying non-fast-forward/i.test(text);
  }
}

/** Reads a branch, and fetches its tip into the private repository. */
export async function readBranch(place: BranchPlace): Promise<RemoteBranch> {
  const { gitDir, remote, branch } = place;
  const ref = `refs/heads/${branch}`;
  const tip = (await listRefs(remote, { gitDir, patterns: [ref] })).get(ref);
  if (tip === undefined) return { tip, message: "", parents: [], isOurs: false };
  await fetchCommit(place, tip);
  const { out } = await git({ cwd: gitDir, args: ["log", "-1", "--format=%ce %ae%n%P%n%B", tip] });
  const [people = "", parents = "", ...message] = readable(out).toWellFormed().split("\n");
  const [committer, by = ""] = people.split(" ");
  // GitHub itself is the committer of commits that an app's token creates through the API; the app is the author.
  const isByApi = committer === "noreply@github.com" && by.endsWith("[bot]@users.noreply.github.com");
  const isOurs = committer === author.EMAIL || isByApi;
  return { tip, message: message.join("\n"), parents: parents.split(" ").filter(Boolean), isOurs };
}

/** Fetches a commit into the private repository, unless it is already there. */
export async function fetchCommit(
  { remote, gitDir }: Omit<BranchPlace, "branch">,
  commit: string,
): Promise<void> {
  const args = ["cat-file", "-e", `${commit}^{tree}`];
  const { code } = await git({ cwd: gitDir, args, accept: [0, 1, 128] });
  if (code !== 0) await fetchObjects(remote, { gitDir, what: [commit], options: ["--depth=1"] });
}

interface Move {
  readonly to: string;
  readonly expected: string | undefined;
}

/** Points a branch to a commit, unless it has moved. */
export const pushBranch = (place: BranchPlace, move: Move): Promise<void> =>
  push(place, { ...move, ref: `refs/heads/${place.branch}` });

/** Keeps a commit at the host, under a ref outside all branches. */
export async function pushCommit(
  place: Omit<BranchPlace, "branch">,
  { ref, commit }: { readonly ref: string; readonly commit: string },
): Promise<void> {
  const expected = (await listRefs(place.remote, { gitDir: place.gitDir, patterns: [ref] })).get(ref);
  if (expected !== commit) await push({ ...place, branch: ref }, { to: commit, expected, ref });
}

/** The same commit with an additional parent: a branch at that parent can then be updated without force. */
export async function withParent(gitDir: string, commit: string, parent: string): Promise<string> {
  const { out } = await git({ cwd: gitDir, args: ["cat-file", "commit", commit] });
  const stdin = out.replace(/^(?=author )/m, `parent ${parent}\n`);
  const args = ["hash-object", "-t", "commit", "-w", "--stdin"];
  return (await git({ cwd: gitDir, args, stdin })).out.trim();
}

async function push(
  place: BranchPlace,
  { to, expected, ref }: Move & { readonly ref: string },
): Promise<void> {
  const { gitDir, remote, branch } = place;
  const retries = openRetries(remote, gitDir);
  for (;;) {
    const text = await pushOnce(remote, { gitDir, updates: [{ ref, to, expected }], atomic: false });
    const tip = (await listRefs(remote, { gitDir, patterns: [ref] })).get(ref);
    if (tip === to) return;
    const isStale = tip !== expected;
    if (!isStale && isCutOff(text) && (await deepen(remote, gitDir))) continue;
    // An unreachable host has not rejected it.
    const why = isStale ? "stale info" : text;
    // Loaded with the first refusal.
    const { refusalIn } = await import("../git/host-words.ts");
    const message = refusal(remote, branch, { text: why, refused: refusalIn(why, branch) });
    if (isStale || isRefused(remote, "write", text) || /rejected/.test(text) || refusalIn(text))
      throw new PushError(message, why);
    await retries.next(text).catch(() => {
      throw new PushError(message, why);
    });
  }
}

interface Refused {
  readonly text: string;
  /** What the table of hosts' words says about it. */
  readonly refused: { readonly why: string; readonly remedy: string } | undefined;
}

function refusal(remote: Remote, branch: string, { text, refused }: Refused): string {
  const what = `${remote.name} rejected the push to ${branch}`;
  if (refused !== undefined) return `${what}, because ${refused.why}: ${refused.remedy}`;
  if (isForbidden(text))
    return `${what}: give the job \`permissions: contents: write\`, or another token as \`push-token\``;
  if (/stale info|fetch first|non-fast-forward/i.test(text))
    return `${what}: someone else pushed to it meanwhile; run again`;
  const reason = text.split("\n").find((line) => /\[(remote )?rejected\]/.test(line)) ?? reasonOf(text);
  const short = reason.replace(/^.*\[(remote )?rejected\]\s*/, "").trim();
  return `${what}: ${[short.slice(0, 300), wordsOfHost(text)].filter(Boolean).join(": ")}`;
}
