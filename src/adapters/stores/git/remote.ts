import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { BadStoreNameError } from "../../../ports/store.ts";
import type { Environment } from "../../environment.ts";
import { type ProcessEnd, runProcess } from "../../process.ts";
import { git, gitProgram, readable } from "../../workspace/git.ts";
import { inEnvironment, openExchange } from "./exchange.ts";
import type { Forwarder, ForwarderOptions } from "./forwarder.ts";
import { isProxy, type Login, loginOf, type Setting } from "./login.ts";
import type { Command } from "./push-commands.ts";

/** A git host that keeps runs. */
export interface Remote {
  /** As people may see it: without a password in it. */
  readonly name: string;
  /** What git is told: the address and how it is reached, without the key where there is a `login`. */
  readonly url: string;
  readonly settings: readonly Setting[];
  readonly env: Readonly<Record<string, string>>;
  /** The key, which git does not get to see: a forwarder of ours adds it. */
  readonly login: Login | undefined;
  /** The longest one exchange may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How long to go on trying when nothing comes through, in milliseconds. */
  readonly patienceMs: number;
  /** Hears once, of each question, that it is still tried. */
  readonly notice?: ((text: string) => void) | undefined;
}

/** The host could not be asked, or does not let us. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
}

interface RemoteOptions {
  /** For the host of the URL; wins over what the checkout has. */
  readonly token?: string;
  /** A remote of the checkout, or a URL. */
  readonly remote: string;
  readonly cwd: string;
  readonly environment: Environment;
  readonly timeoutMs: number;
  readonly patienceMs: number;
  readonly notice?: (text: string) => void;
}

/**
 * Reads how the checkout reaches its remote, once and before any agent can change it. Of its settings only those that
 * name the host and the key to it are taken.
 */
export async function findRemote(options: RemoteOptions): Promise<Remote> {
  const { cwd, environment, timeoutMs, patienceMs } = options;
  const listing = git({ cwd, args: ["config", "--list", "-z"], env: personal, accept: [0, 1] });
  const [url, listed] = await Promise.all([urlOf(options), listing]);
  const access = readable(listed.out)
    .split("\0")
    .flatMap((entry) => {
      const [, name = "", value = "true"] = /^([^\n]+)(?:\n([\s\S]*))?$/.exec(entry) ?? [];
      return /^(credential|http)\.|^core\.sshcommand$/.test(name) ? [[name, value] as const] : [];
    });
  const keyed = keysFor(url, access, options);
  const login = loginOf(url, keyed, environment);
  const inherited = Object.entries(environment).filter(
    ([name, value]) =>
      value !== undefined && passed.test(name) && (login === undefined || !isProxy.test(name)),
  );
  return {
    name: url.replace(/\/\/[^@/]*@/, "//"),
    url,
    settings: [...fixed, ...(login === undefined ? keyed : [])],
    env: { GIT_SSH_COMMAND: "ssh -oBatchMode=yes", ...Object.fromEntries(inherited), ...plain },
    login,
    timeoutMs,
    patienceMs,
    notice: options.notice,
  };
}

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

const fixed: readonly (readonly [string, string])[] = Object.entries({
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.compression": "1",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "push.gpgSign": "false",
  "safe.directory": "*",
});

const plain = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
} as const;

/** With the settings of the user and the machine. */
const personal = { GIT_CONFIG_NOSYSTEM: undefined, GIT_CONFIG_GLOBAL: undefined };

const passed =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|TMP|TEMP|SystemRoot|USERPROFILE|XDG_CONFIG_HOME|XDG_RUNTIME_DIR|SSH_(AUTH_SOCK|AGENT_PID)|GIT_SSH(_COMMAND)?|GIT_SSL_.*|SSL_CERT_.*|CURL_CA_BUNDLE|((HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy))$/;

async function urlOf({ remote, cwd }: RemoteOptions): Promise<string> {
  const local = (text: string) =>
    !/^[a-z0-9+.-]+:/i.test(text) && existsSync(resolve(cwd, text)) ? resolve(cwd, text) : text;
  if (/[/:\\]/.test(remote)) return local(remote);
  const args = ["remote", "get-url", "--push", remote];
  const { code, out } = await git({ cwd, args, env: personal, accept: [0, 2, 128] });
  if (code === 0) return local(readable(out).trim());
  throw new BadStoreNameError(
    `--store git: ${cwd} has no remote ${remote}; name another with --store git:REMOTE or a URL`,
  );
}

/** How the host lets us in. A token of the job goes to the job's own server and to no other. */
function keysFor(url: string, access: readonly Setting[], options: RemoteOptions): readonly Setting[] {
  const { token: given, environment } = options;
  const server = `${environment["GITHUB_SERVER_URL"] || "https://github.com"}/`;
  const token = given ?? environment["GITHUB_TOKEN"] ?? environment["GH_TOKEN"];
  if (!token || !url.startsWith(server)) return access;
  const others = access.filter(([name]) => !/^http\..*\.extraheader$/.test(name));
  // Two such headers in one request are refused: the one named for this wins over the checkout's, that over the job's.
  if (given === undefined && others.length < access.length) return access;
  return [...others, headerFor(server, token)];
}

function headerFor(server: string, token: string): Setting {
  const key = Buffer.from(`x-access-token:${token}`).toString("base64");
  return [`http.${server}.extraheader`, `AUTHORIZATION: basic ${key}`];
}

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
