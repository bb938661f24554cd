import { setTimeout as wait } from "node:timers/promises";
import { type ProcessEnd, runProcess } from "../../process.ts";
import { gitProgram } from "../../workspace/git.ts";
import { inEnvironment, openExchange } from "./exchange.ts";
import type { Forwarder, ForwarderOptions } from "./forwarder.ts";
import type { Login } from "./login.ts";
import type { Command } from "./push-commands.ts";
import { type Remote, RemoteError } from "./remote.ts";

/** The refs of a remote that match some patterns, by name; tries again while nothing comes through. */
export async function listRefs(
  remote: Remote,
  { gitDir, patterns }: { readonly gitDir: string; readonly patterns: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await persist(remote, gitDir, ["ls-remote", alias, ...patterns]);
  const rows = stdout.split("\n").filter(Boolean);
  return new Map(rows.map((row) => [row.slice(row.indexOf("\t") + 1), row.slice(0, row.indexOf("\t"))]));
}

/** Brings refs or commits into a repository, without pointing anything at them. */
export async function fetchObjects(
  remote: Remote,
  { gitDir, what, options = [] }: { gitDir: string; what: readonly string[]; options?: readonly string[] },
): Promise<void> {
  const quiet = ["--quiet", "--no-write-fetch-head", "--no-tags", "--no-auto-gc"];
  await persist(remote, gitDir, ["fetch", ...quiet, ...options, alias, ...what]);
}

/** Pushes commits by name, once. What is answered says why, never whether: the refs have to be read again. */
export async function pushOnce(
  remote: Remote,
  { gitDir, updates, atomic }: { gitDir: string; updates: readonly Command[]; atomic: boolean },
): Promise<string> {
  const leases = updates.map(({ ref, expected = "" }) => `--force-with-lease=${ref}:${expected}`);
  const refs = updates.map(({ ref, to }) => `${to}:${ref}`);
  const how = ["--porcelain", "--no-verify", ...(atomic ? ["--atomic"] : [])];
  const args = ["push", ...how, ...leases, alias, ...refs];
  const end = await run(remote, { gitDir, args, commands: updates });
  return end.exitCode === 0 ? "" : saidBy(end);
}

/** Whether a host's words mean that this key may not, which waiting does not change. */
export const isForbidden = (said: string) =>
  /\b(401|403)\b|authentication failed|could not read (username|password)|permission (to .*)?denied|denied to /i.test(
    said,
  );

/** What was asked for is not there, and waiting does not bring it. */
const isGone = (said: string) => /not our ref|couldn't find remote ref|unadvertised object/i.test(said);

export const forbidden = (remote: Remote) =>
  new RemoteError(
    `${remote.name} does not let this job keep the run: give the job \`permissions: contents: write\`, ` +
      "or git a key that may push there",
  );

const alias = "until-green";

/** Runs git until it succeeds, or patience ends. */
async function persist(remote: Remote, gitDir: string, args: readonly string[]): Promise<ProcessEnd> {
  const end = performance.now() + remote.patienceMs;
  for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
    const ended = await run(remote, { gitDir, args });
    if (ended.exitCode === 0) return ended;
    const said = saidBy(ended);
    if (isForbidden(said)) throw forbidden(remote);
    if (isGone(said)) throw new RemoteError(`${remote.name} has not got it: ${lastLine(said)}`);
    if (performance.now() + pause > end) throw unreachable(remote, said);
    if (pause === 1_600) remote.notice?.(`${remote.name} does not answer yet (${lastLine(said)}): trying on`);
    await wait(pause * (0.8 + Math.random() * 0.4));
  }
}

export const unreachable = (remote: Remote, said: string) =>
  new RemoteError(
    `${remote.name} cannot be reached to keep the run (${lastLine(said)}): try again; what was recorded is not lost`,
  );

interface Call {
  readonly gitDir: string;
  readonly args: readonly string[];
  /** What a push may change; without it nothing is pushed. */
  readonly commands?: readonly Command[];
}

async function run(remote: Remote, { gitDir, args, commands }: Call): Promise<ProcessEnd> {
  const { login, timeoutMs } = remote;
  const exchange = openExchange(gitDir);
  const service = commands === undefined ? "git-upload-pack" : "git-receive-pack";
  const forwarder = await forwarderFor(login, { service, commands: commands ?? [] });
  try {
    const url = forwarder?.url ?? remote.url;
    const ended = await runProcess({
      command: gitProgram(),
      args,
      cwd: exchange.dir,
      env: {
        ...remote.env,
        ...inEnvironment([...remote.settings, [`remote.${alias}.url`, url]]),
        ...exchange.env,
      },
      timeoutMs,
      signal: new AbortController().signal,
      keepBytes: 16 * 1024 * 1024,
    });
    return forwarder === undefined ? ended : asIfDirect(ended, remote, forwarder);
  } finally {
    forwarder?.close();
    exchange.close();
  }
}

/** Loaded where there is a key to hold: with it comes all of Node's HTTP. */
async function forwarderFor(login: Login | undefined, options: Omit<ForwarderOptions, "login">) {
  if (login === undefined) return undefined;
  const { openForwarder } = await import("./forwarder.ts");
  return await openForwarder({ ...options, login });
}

/** Git speaks of the address it was given, and knows of no failure beyond it. */
function asIfDirect(ended: ProcessEnd, { name }: Remote, { url, trouble }: Forwarder): ProcessEnd {
  const stdout = ended.stdout.replaceAll(url, name);
  const stderr = ended.stderr.replaceAll(url, name);
  const because = ended.exitCode === 0 ? undefined : trouble();
  return { ...ended, stdout, stderr: because === undefined ? stderr : `${stderr}\n${because}` };
}

/** All it printed: a push tells on standard output what became of each ref. */
const saidBy = (end: ProcessEnd) =>
  end.how === "exited" ? `${end.stdout}\n${end.stderr}` : (end.fault?.message ?? `git was ${end.how}`);

export const lastLine = (text: string) => text.trim().split("\n").at(-1)?.trim() || "no reason given";
