import { isUtf8 } from "node:buffer";
import { type ChildProcess, execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { env as inherited } from "node:process";
import { type DiskFault, diskFault, diskFaultIn } from "../ports/disk-fault.ts";
import { gitEnvironment } from "../processes/git-environment.ts";
import { gitProgram } from "../processes/program-path.ts";

export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  /** Added to git's environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What git may contact others by, such as `file`; default: nothing. */
  readonly protocols?: string;
  /** Standard input, one character per byte; see `GitAnswer.out`. */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  /** Exit codes to return; any other throws. Default: only 0. */
  readonly accept?: readonly number[];
  /** Receives the path of each named pipe that blocked git and was removed. */
  readonly onPipe?: ((path: string) => void) | undefined;
}

export interface GitAnswer {
  readonly code: number;
  /** Standard output, one character per byte, so that paths in any encoding can be passed back to git unchanged. */
  readonly out: string;
  readonly err: string;
}

/** Runs git in its own environment, without hooks, monitors, prompts or personal settings. */
export async function git(call: GitCall): Promise<GitAnswer> {
  call.signal?.throwIfAborted();
  const ended = await execute(call);
  call.signal?.throwIfAborted();
  if (ended.fault !== undefined) throw ended.fault;
  if (ended.code === "ENOENT") throw await missing(call.cwd);
  if (typeof ended.code === "number" && (call.accept ?? [0]).includes(ended.code)) {
    return { code: ended.code, out: ended.out, err: ended.err };
  }
  const fault = diskFault({ code: ended.code }, gitProgram());
  if (fault !== undefined) throw fault;
  const reason = reasonIn(ended.err) ?? `it ended with ${ended.code}`;
  const error = new Error(`git ${call.args[0]} failed: ${reason}`);
  const { damageError } = await import("./damaged-repository.ts");
  throw damageError(call.cwd, error) ?? error;
}

/**
 * Decodes a path or another text that git printed. A byte that is not valid UTF-8 becomes a lone surrogate, U+DC80 to
 * U+DCFF, as in Python's `surrogateescape`, so that every path survives the round trip. Text shown to people is made
 * well-formed.
 */
export function readable(path: string): string {
  const raw = Buffer.from(path, "latin1");
  if (isUtf8(raw)) return raw.toString("utf8");
  return path.replace(character, (match, alone?: string) =>
    alone === undefined ? Buffer.from(match, "latin1").toString("utf8") : escaped(alone),
  );
}

const escaped = (byte: string) => String.fromCharCode(0xdc00 + byte.charCodeAt(0));

/** One UTF-8 character, with one code unit per byte, or else one byte. */
const character =
  /[\0-\x7f]+|[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|([\x80-\xff])/g;

/** Encodes a path for git, one character per byte; the inverse of `readable`. */
export function bytes(path: string): string {
  const plain = (text: string) => Buffer.from(text, "utf8").toString("latin1");
  if (path.isWellFormed()) return plain(path);
  return Array.from(path, (one) =>
    lone.test(one) ? String.fromCharCode(one.charCodeAt(0) - 0xdc00) : plain(one),
  ).join("");
}

const lone = /^[\udc80-\udcff]$/u;

/** The path on disk of a path that git printed. A `Buffer` if it is not UTF-8, because Node writes strings as UTF-8. */
export function onDisk(top: string, path: string): string | Buffer {
  const whole = join(top, path);
  return whole.isWellFormed() ? whole : Buffer.from(bytes(whole), "latin1");
}

const settings = Object.entries({
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.bigFileThreshold": "64m",
  "core.compression": "1",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "commit.gpgsign": "false",
  "submodule.recurse": "false",
  "advice.addEmbeddedRepo": "false",
  // A container often runs as a user who does not own the checkout.
  "safe.directory": "*",
}).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** The author of until-green's commits. */
export const author = { NAME: "until-green", EMAIL: "until-green@users.noreply.github.com" };

const environment = ({ cwd, protocols }: GitCall): Readonly<Record<string, string>> => ({
  ...gitEnvironment(cwd, protocols),
  ...kept(["HOME", "XDG_CONFIG_HOME", "TMPDIR", "TMP", "TEMP", "SystemRoot", "USERPROFILE"]),
  TZ: "UTC",
  GIT_DEFAULT_REF_FORMAT: "files",
  GIT_AUTHOR_NAME: author.NAME,
  GIT_AUTHOR_EMAIL: author.EMAIL,
  GIT_COMMITTER_NAME: author.NAME,
  GIT_COMMITTER_EMAIL: author.EMAIL,
});

function kept(names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => (inherited[name] === undefined ? [] : [[name, inherited[name]]])),
  );
}

interface GitResult {
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
  /** Why git was ended before it was done. */
  readonly fault?: DiskFault | undefined;
}

function execute(call: GitCall): Promise<GitResult> {
  const { cwd, args, env, stdin, signal, onPipe } = call;
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...environment(call), ...env },
      encoding: "buffer",
      maxBuffer: Number.POSITIVE_INFINITY,
    } as const;
    const child = execFile(gitProgram(), [...settings, ...args], options, (error, out, err) => {
      const fault = endLooking();
      signal?.removeEventListener("abort", stop);
      const code = error === null ? 0 : (error.code ?? error.signal ?? 1);
      resolve({ code, out: out.toString("latin1"), err: err.toString("utf8"), fault });
    });
    const stop = () => void child.kill();
    const endLooking = watchSlow(child, onPipe);
    signal?.addEventListener("abort", stop);
    // git may exit before it has read everything; its exit code says why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(Buffer.from(stdin ?? "", "latin1"));
  });
}

/**
 * A git that takes long may be waiting for a pipe, or reading a file without end. Returns a function that ends the
 * watch, and returns why git was ended.
 */
function watchSlow(child: ChildProcess, onPipe: GitCall["onPipe"]): () => DiskFault | undefined {
  let fault: DiskFault | undefined;
  const look = async () => {
    const [{ removePipes }, { sparseFileOf }] = await Promise.all([
      import("../processes/pipes.ts"),
      import("./sparse-files.ts"),
    ]);
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    fault = sparseFileOf(child.pid);
    if (fault !== undefined) child.kill();
    const pipes = removePipes(child.pid);
    for (const pipe of pipes) onPipe?.(readable(pipe));
    // If there is one pipe, there may be hundreds.
    timer = setTimeout(look, pipes.length > 0 ? 1 : waitingMs);
  };
  let timer = setTimeout(look, waitingMs);
  return () => {
    clearTimeout(timer);
    return fault;
  };
}

const waitingMs = 1000;

async function missing(cwd: string): Promise<Error> {
  const there = await access(cwd).then(
    () => true,
    () => false,
  );
  return new Error(there ? "git is not installed: install git 2.38 or newer" : `${cwd} does not exist`);
}

/** The line about the disk if there is one; otherwise the last line, which says what failed. */
function reasonIn(text: string): string | undefined {
  const lines = text.trim().split("\n");
  return (lines.find((line) => diskFaultIn(line) !== undefined) ?? lines.at(-1))?.trim() || undefined;
}
