import { setTimeout as wait } from "node:timers/promises";
import type { Environment } from "../environment.ts";
import { deepen, isCutOff } from "../stores/git/deepen.ts";
import { findRemote, type Remote } from "../stores/git/remote.ts";
import { fetchObjects, isForbidden, lastLine, listRefs, pushOnce } from "../stores/git/remote-calls.ts";
import { author, git, readable } from "./git.ts";

/** A branch at a git host, reached with a token from a private repository: no hook or setting of a checkout takes part. */
export interface RemoteBranch {
  /** The commit at its tip; `undefined` where there is no such branch. */
  readonly tip: string | undefined;
  /** The message of that commit. */
  readonly message: string;
  /** Whether that commit is as we made it: who amends or rebases one keeps its message. */
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
  /** Of the repository, without a token in it. */
  readonly url: string;
  readonly token: string;
  readonly environment: Environment;
}

/** Finds the way to a git host; before an agent works, as that may change the settings that are read here. */
export const findBranchHost = (host: BranchHost): Promise<Remote> =>
  findRemote({ ...host, remote: host.url, timeoutMs: 120_000, patienceMs: 60_000 });

/** A push that the host did not take; says why, and what to do. */
export class PushError extends Error {
  override readonly name = "PushError";
}

/** Reads where a branch stands, and brings its tip into the private repository. */
export async function readBranch(place: BranchPlace): Promise<RemoteBranch> {
  const { gitDir, remote, branch } = place;
  const ref = `refs/heads/${branch}`;
  const tip = (await listRefs(remote, { gitDir, patterns: [ref] })).get(ref);
  if (tip === undefined) return { tip, message: "", isOurs: false };
  await bring(remote, gitDir, tip);
  const { out } = await git({ cwd: gitDir, args: ["log", "-1", "--format=%ce%n%B", tip] });
  const [committer, ...message] = readable(out).split("\n");
  return { tip, message: message.join("\n"), isOurs: committer === author.EMAIL };
}

/** Brings a commit into the private repository, unless it is there. */
export async function bringCommit(place: Omit<BranchPlace, "branch">, commit: string): Promise<void> {
  await bring(place.remote, place.gitDir, commit);
}

/** Points a branch to a commit, unless it has moved from where it was expected. */
export async function pushBranch(
  place: BranchPlace,
  { to, expected }: { readonly to: string; readonly expected: string | undefined },
): Promise<void> {
  const { gitDir, remote, branch } = place;
  const ref = `refs/heads/${branch}`;
  const end = performance.now() + remote.patienceMs;
  for (let pause = 500; ; pause *= 2) {
    const said = await pushOnce(remote, { gitDir, updates: [{ ref, to, expected }], atomic: false });
    const tip = (await listRefs(remote, { gitDir, patterns: [ref] })).get(ref);
    if (tip === to) return;
    const isStale = tip !== expected;
    if (!isStale && isCutOff(said) && (await deepen(remote, gitDir))) continue;
    // A host that was away has not refused it.
    if (isStale || isForbidden(said) || /rejected/.test(said) || performance.now() + pause > end)
      throw new PushError(refusal(remote, branch, isStale ? "stale info" : said));
    await wait(pause);
  }
}

async function bring(remote: Remote, gitDir: string, commit: string): Promise<void> {
  const { code } = await git({
    cwd: gitDir,
    args: ["cat-file", "-e", `${commit}^{tree}`],
    accept: [0, 1, 128],
  });
  if (code !== 0) await fetchObjects(remote, { gitDir, what: [commit], options: ["--depth=1"] });
}

function refusal(remote: Remote, branch: string, said: string): string {
  const what = `${remote.name} did not take the push to ${branch}`;
  if (isForbidden(said))
    return `${what}: give the job \`permissions: contents: write\`, or another token as \`push-token\``;
  if (/workflow/i.test(said) && /(scope|permission)/i.test(said))
    return `${what}: this token may not change workflow files; give one that may as \`push-token\``;
  if (/stale info|fetch first|non-fast-forward/i.test(said))
    return `${what}: somebody else pushed to it meanwhile; run again`;
  const reason = said.split("\n").find((line) => /\[(remote )?rejected\]/.test(line)) ?? lastLine(said);
  return `${what}: ${reason
    .replace(/^.*\[(remote )?rejected\]\s*/, "")
    .trim()
    .slice(0, 300)}`;
}
