import { rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { diskFault, diskFaultIn } from "../ports/disk-fault.ts";
import { type ProcessEnd, runProcess } from "../processes/process.ts";
import { gitProgram } from "../processes/program-path.ts";
import { makeTempFolder, ownFolder } from "../processes/temp-folder.ts";
import type { AuthProxy, AuthProxyOptions } from "./auth-proxy.ts";
import { bareRepository } from "./bare-repository.ts";
import type { Login } from "./credentials.ts";
import type { ObjectFormat } from "./objects.ts";
import { type RefUpdateCommand, refusedByUs } from "./push-commands.ts";
import { alias, NotThereError, type Remote, RemoteError } from "./remote.ts";
import {
  forbidden,
  isGone,
  isOfAnotherUser,
  isRefused,
  isUnknown,
  ofAnotherUser,
  reasonOf,
  refusalOf,
  unreachable,
} from "./remote-faults.ts";
import { inEnvironment, openTransferRepository } from "./transfer-repository.ts";

/** Lists the refs of a remote that match the patterns; retries while the host is unreachable. */
export async function listRefs(
  remote: Remote,
  { gitDir, patterns }: { readonly gitDir: string; readonly patterns: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await callWithRetries(remote, { gitDir, args: ["ls-remote", alias, ...patterns] });
  const rows = stdout.split("\n").filter(Boolean);
  return new Map(rows.map((row) => [row.slice(row.indexOf("\t") + 1), row.slice(0, row.indexOf("\t"))]));
}

/** Fetches refs or commits into a repository, without creating refs. */
export async function fetchObjects(
  remote: Remote,
  { gitDir, what, options = [] }: { gitDir: string; what: readonly string[]; options?: readonly string[] },
): Promise<void> {
  const quiet = ["--progress", "--no-write-fetch-head", "--no-tags", "--no-auto-gc"];
  // Standard input, because a command line has room for only a few hundred.
  const stdin = what.map((each) => `${each}\n`).join("");
  await callWithRetries(remote, { gitDir, args: ["fetch", ...quiet, ...options, "--stdin", alias], stdin });
}

/** Whether a host still has a commit. Asks from an empty repository: in one that has the commit, git would not ask. */
export async function hasCommit(remote: Remote, format: ObjectFormat, id: string): Promise<boolean> {
  const folder = makeTempFolder("probe", ownFolder());
  try {
    const gitDir = bareRepository(folder, "probe.git", format);
    await fetchObjects(remote, { gitDir, what: [id], options: ["--depth=1"] });
    return true;
  } catch (error) {
    if (error instanceof NotThereError) return false;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Pushes commits by id, once. Returns the error message, or nothing; only reading the refs shows if they have moved.
 */
export async function pushOnce(
  remote: Remote,
  { gitDir, updates, atomic }: { gitDir: string; updates: readonly RefUpdateCommand[]; atomic: boolean },
): Promise<string> {
  const leases = updates.map(({ ref, expected = "" }) => `--force-with-lease=${ref}:${expected}`);
  const refs = updates.map(({ ref, to }) => `${to}:${ref}`);
  const how = ["--porcelain", "--progress", "--no-verify", ...(atomic ? ["--atomic"] : [])];
  const args = ["push", ...how, ...leases, alias, ...refs];
  const end = await run(remote, { gitDir, args, commands: updates });
  if (end.exitCode !== 0) return messageOf(end);
  remote.admitted.add("write");
  return "";
}

/** Runs git until it succeeds or patience runs out. */
async function callWithRetries(remote: Remote, call: Call): Promise<ProcessEnd> {
  const retries = openRetries(remote, call.gitDir);
  for (;;) {
    const ended = await run(remote, call);
    if (ended.exitCode === 0) {
      remote.admitted.add("read");
      return ended;
    }
    const text = messageOf(ended);
    if (isRefused(remote, "read", text)) throw await forbidden(remote, "read", text);
    if (isGone(text)) throw new NotThereError(`${remote.name} does not have it: ${reasonOf(text)}`);
    await retries.next(text);
  }
}

/** Waits longer before each retry; throws when patience runs out or this process must exit. */
export function openRetries(remote: Remote, gitDir: string) {
  const end = performance.now() + remote.patienceMs;
  let unknownSince: number | undefined;
  let pause = 100;
  return {
    async next(text: string): Promise<void> {
      await refuseLasting(remote, gitDir, text);
      const now = performance.now();
      unknownSince = isUnknown(text) ? (unknownSince ?? now) : undefined;
      const until = Math.min(end, (unknownSince ?? end) + unknownMs);
      if (now + pause > until) throw unreachable(remote, text);
      if (pause === 1_600)
        remote.notice?.(
          `${remote.name} does not answer yet (${reasonOf(text)}): still trying, for at most ${secondsOf(remote, text)} s`,
        );
      await wait(pause * (0.2 + Math.random() * 0.8), undefined, { signal: remote.stop }).catch(
        () => undefined,
      );
      if (remote.stop.aborted) throw unreachable(remote, "this process is ending");
      // Zero to two extra requests. If every nth request fails, a fixed number would hit the same failure each time.
      const more = text === silent ? 0 : Math.floor(Math.random() * 3);
      for (let left = more; left > 0; left -= 1) await run(remote, { gitDir, args: oneRequest });
      pause = Math.min(pause * 2, 5_000);
    },
  };
}

/** A host that fails for a moment may not know a token; one that has expired stays unknown. In milliseconds. */
const unknownMs = 10_000;

const secondsOf = ({ patienceMs }: Remote, text: string) =>
  Math.ceil((isUnknown(text) ? Math.min(patienceMs, unknownMs) : patienceMs) / 1_000);

/** Throws an error that waiting does not end. */
async function refuseLasting(remote: Remote, gitDir: string, text: string): Promise<void> {
  const ours = text.split("\n").filter((line) => !line.startsWith("remote:"));
  const fault = diskFaultIn(ours.join("\n"), gitDir);
  if (fault !== undefined) throw fault;
  if (isOfAnotherUser(text)) throw ofAnotherUser(remote);
  if (text.includes(refusedByUs)) throw new RemoteError(refusedByUs);
  const refused = await refusalOf(remote, text);
  if (refused !== undefined) throw refused;
}

const oneRequest = ["-c", "protocol.version=0", "ls-remote", alias, "HEAD"];

interface Call {
  readonly gitDir: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** The refs that a push may update; without them git may only fetch. */
  readonly commands?: readonly RefUpdateCommand[];
}

async function run(remote: Remote, { gitDir, args, stdin = "", commands }: Call): Promise<ProcessEnd> {
  const { login, timeoutMs, patienceMs } = remote;
  const exchange = openTransferRepository(gitDir);
  const service = commands === undefined ? "git-upload-pack" : "git-receive-pack";
  const forwarder = await forwarderFor(login, { service, commands: commands ?? [] });
  try {
    const url = forwarder?.url ?? remote.url;
    const ended = await runProcess({
      command: gitProgram(),
      args,
      cwd: exchange.dir,
      ...(stdin === "" ? {} : { stdin }),
      env: {
        ...remote.env,
        ...inEnvironment([...remote.settings, [`remote.${alias}.url`, url]]),
        ...exchange.env,
      },
      // A large transfer reports progress; only silence means it hangs.
      idleMs: timeoutMs,
      timeoutMs: Math.max(timeoutMs, patienceMs),
      signal: remote.stop,
      keepBytes: 16 * 1024 * 1024,
    });
    const fault = ended.fault && diskFault(ended.fault, exchange.dir);
    if (fault !== undefined) throw fault;
    return forwarder === undefined ? ended : asIfDirect(ended, remote, forwarder);
  } finally {
    forwarder?.close();
    exchange.close();
  }
}

/** Loaded only if there are credentials, because it loads all of Node's HTTP. */
async function forwarderFor(login: Login | undefined, options: Omit<AuthProxyOptions, "login">) {
  if (login === undefined) return undefined;
  const { openAuthProxy } = await import("./auth-proxy.ts");
  return await openAuthProxy({ ...options, login });
}

/** Git reports the proxy's address, and does not know why the proxy failed: restores the name, and adds the reason. */
function asIfDirect(ended: ProcessEnd, { name }: Remote, { url, trouble }: AuthProxy): ProcessEnd {
  // A request for a user names only the origin.
  const named = (text: string) => text.replaceAll(url, name).replaceAll(new URL(url).origin, name);
  const [stdout, stderr] = [named(ended.stdout), named(ended.stderr)];
  const reason = ended.exitCode === 0 ? undefined : trouble();
  return { ...ended, stdout, stderr: reason === undefined ? stderr : `fatal: ${reason}\n${stderr}` };
}

const silent = "it does not answer";

/** Includes standard output, on which a push reports each ref. */
function messageOf(end: ProcessEnd): string {
  if (end.how === "idle" || end.how === "timed-out") return silent;
  if (end.how === "aborted") return "this process is ending";
  return end.fault?.message ?? withoutProgress(`${end.stdout}\n${end.stderr}`);
}

/** Progress counts could be mistaken for an HTTP status. */
const withoutProgress = (text: string) =>
  text
    .split(/[\r\n]+/)
    .filter((line) => !/:\s+\d+(% \(|, done)|^(remote: )?(Total|Delta compression) /.test(line))
    .join("\n");
