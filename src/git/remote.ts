import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { nothingLost } from "../ports/disk-fault.ts";
import { BadStoreNameError } from "../ports/store.ts";
import type { Environment } from "../processes/environment.ts";
import { gitEnvironment } from "../processes/git-environment.ts";
import { pathOutside } from "../processes/program-path.ts";
import { isProxy, type Login, loginOf, type Setting } from "./credentials.ts";
import { git, readable } from "./git.ts";

/** The host's name in git's settings. */
export const alias = "until-green";

/** A git host that stores runs. */
export interface Remote {
  /** The address for people, without a password. */
  readonly name: string;
  /** The address given to git. It has credentials only if there is no `login`. */
  readonly url: string;
  /** The repository's path at the host, such as `owner/name`, in lowercase. */
  readonly repository: string;
  readonly settings: readonly Setting[];
  readonly env: Readonly<Record<string, string>>;
  /** Credentials that git never sees: the auth proxy adds them. */
  readonly login: Login | undefined;
  /** The longest silence of one exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** How long to retry while the host is unreachable, in milliseconds. */
  readonly patienceMs: number;
  /** The operations the host has accepted with these credentials so far. */
  readonly admitted: Set<"read" | "write">;
  /** Aborts when this process must exit: nothing waits any longer then. */
  readonly stop: AbortSignal;
  /** Called once for each request that keeps failing and is retried. */
  readonly notice?: ((text: string) => void) | undefined;
}

/** The host could not be reached, or refused us. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
}

/** Patience ran out before the host answered. */
export class UnreachableError extends RemoteError {
  /** The message without the remedy. */
  readonly what: string;
  constructor(what: string, remedy: string) {
    super(`${what}: ${remedy}`);
    this.what = what;
  }
}

/** The host no longer knows the token that it accepted before. */
export class ExpiredTokenError extends UnreachableError {
  /** What the host said. */
  readonly reason: string;
  constructor(name: string, reason: string) {
    super(
      `${name} no longer accepts the token of this job (${reason})`,
      `use one that is valid until the job ends; tokens of GitHub Apps are valid for an hour; ${nothingLost}`,
    );
    this.reason = reason;
  }
}

/** The host has no such object or ref. Waiting does not help. */
export class NotThereError extends RemoteError {}

interface RemoteOptions {
  /** A token for the URL's host; overrides the checkout's credentials. */
  readonly token?: string;
  /** A remote of the checkout, or a URL. */
  readonly remote: string;
  /** The remote of the checkout, if `remote` is its copy on this machine. */
  readonly copyOf?: string;
  readonly cwd: string;
  readonly environment: Environment;
  /** As in `Remote`; default: two minutes of patience, and a sixth of that for one exchange. */
  readonly timeoutMs?: number;
  readonly patienceMs?: number;
  readonly stop?: AbortSignal;
  readonly notice?: (text: string) => void;
}

/**
 * Reads how the checkout reaches its remote, once, before any agent can change it. Uses only settings about the host
 * and its credentials.
 */
export async function findRemote(options: RemoteOptions): Promise<Remote> {
  const { cwd, environment, copyOf, patienceMs = 120_000, timeoutMs = patienceMs / 6 } = options;
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
    repository: repositoryAt(copyOf === undefined ? url : await nameOfCopy(options, copyOf)),
    settings: [...fixed, ...(await trusted(url, options)), ...(login === undefined ? keyed : [])],
    env: {
      GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
      ...Object.fromEntries(inherited),
      ...gitEnvironment(cwd, protocolsFor(url)),
      PATH: pathOutside(cwd, environment["PATH"]),
    },
    login,
    timeoutMs,
    patienceMs,
    admitted: new Set(),
    stop: options.stop ?? new AbortController().signal,
    notice: options.notice,
  };
}

const fixed: readonly (readonly [string, string])[] = Object.entries({
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.compression": "1",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "push.gpgSign": "false",
  "safe.directory": "*",
});

/** Includes the settings of the user and the machine. */
const personal = { GIT_CONFIG_NOSYSTEM: undefined, GIT_CONFIG_GLOBAL: undefined };

const passed =
  /^(HOME|USER|LOGNAME|TMPDIR|TMP|TEMP|SystemRoot|USERPROFILE|XDG_CONFIG_HOME|XDG_RUNTIME_DIR|SSH_(AUTH_SOCK|AGENT_PID)|GIT_SSH(_COMMAND)?|GIT_SSL_.*|SSL_CERT_.*|CURL_CA_BUNDLE|((HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy))$/;

/** Repositories of other users on this machine that git may use: git reads only the user's own settings for that. */
async function trusted(url: string, { cwd, environment }: RemoteOptions): Promise<readonly Setting[]> {
  if (!isAbsolute(url)) return [];
  const args = ["config", "--show-scope", "--get-all", "-z", "safe.directory"];
  const env = { ...personal, HOME: environment["HOME"], XDG_CONFIG_HOME: environment["XDG_CONFIG_HOME"] };
  const { out } = await git({ cwd, args, env, accept: [0, 1] });
  const values = [...readable(out).matchAll(/(system|global)\0([^\0]*)\0/g)];
  if (values.length === 0) return [];
  const options = values.map(([, , value = ""]) => ` -c safe.directory='${value.replaceAll("'", "'\\''")}'`);
  return ["upload-pack", "receive-pack"].map((service) => [
    `remote.${alias}.${service.replace("-", "")}`,
    `git${options.join("")} ${service}`,
  ]);
}

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

/** A job knows the name of its repository even if the checkout has no remote. */
const nameOfCopy = (options: RemoteOptions, remote: string) =>
  urlOf({ ...options, remote }).catch(() => options.environment["GITHUB_REPOSITORY"] ?? "");

/** The protocols by which git may reach an address, as `GIT_ALLOW_PROTOCOL` names them. */
function protocolsFor(url: string): string {
  if (isAbsolute(url)) return "file";
  const [, name = /^[^/]+:/.test(url) ? "ssh" : "file"] = /^([a-z0-9+.-]+)(?:::|:\/\/)/i.exec(url) ?? [];
  // `ext::` starts any program, and git refuses it unless a user's settings allow it.
  if (name === "ext") return "none";
  // The auth proxy is reached by plain HTTP, and a host may redirect from it.
  if (/^https?$/i.test(name)) return "http:https";
  return /^(git\+ssh|ssh\+git)$/i.test(name) ? "ssh" : name;
}

/** The path in an address, as in `https://host/owner/name.git`, `git@host:owner/name` or `/folder/name.git`. */
export const repositoryAt = (url: string): string =>
  url
    .replace(/^[a-z0-9+.-]+:\/\/[^/]*/i, "")
    .replace(/^[^/:]+:(?!\/\/)/, "")
    .replace(/^\/+|(\.git)?\/*$/gi, "")
    .toLowerCase();

/** The credentials for the host. A job's token is only sent to the job's own server. */
function keysFor(url: string, access: readonly Setting[], options: RemoteOptions): readonly Setting[] {
  const { token: explicitToken, environment } = options;
  const server = `${environment["GITHUB_SERVER_URL"] || "https://github.com"}/`;
  const token = explicitToken ?? environment["GITHUB_TOKEN"] ?? environment["GH_TOKEN"];
  if (!token || !url.startsWith(server)) return access;
  const others = access.filter(([name]) => !/^http\..*\.extraheader$/.test(name));
  // Hosts reject a request with two such headers. The explicit token takes precedence, then the checkout's, then the
  // job's.
  if (explicitToken === undefined && others.length < access.length) return access;
  return [...others, headerFor(server, token)];
}

function headerFor(server: string, token: string): Setting {
  const key = Buffer.from(`x-access-token:${token}`).toString("base64");
  return [`http.${server}.extraheader`, `AUTHORIZATION: basic ${key}`];
}
