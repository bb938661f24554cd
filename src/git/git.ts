import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { env as inherited } from "node:process";
import { diskFault, diskFaultIn } from "../ports/disk-fault.ts";
import { gitProgram, pathOutside } from "../processes/program-path.ts";

export interface GitCall {
  readonly cwd: string;
  readonly args: readonly string[];
  /** Added to our environment; `undefined` removes a name. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written to standard input byte by byte; see `GitAnswer.out`. */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  /** Exit codes that are results; any other throws. */
  readonly accept?: readonly number[];
}

export interface GitAnswer {
  readonly code: number;
  /** Standard output, one character per byte, so that paths in any encoding survive the way back to git. */
  readonly out: string;
  readonly err: string;
}

/** Runs git in an environment of its own, without hooks, monitors, prompts or personal settings. */
export async function git(call: GitCall): Promise<GitAnswer> {
  call.signal?.throwIfAborted();
  const ended = await execute(call);
  call.signal?.throwIfAborted();
  if (ended.code === "ENOENT") throw await missing(call.cwd);
  if (typeof ended.code === "number" && (call.accept ?? [0]).includes(ended.code)) {
    return { code: ended.code, out: ended.out, err: ended.err };
  }
  const fault = diskFault({ code: ended.code }, gitProgram());
  if (fault !== undefined) throw fault;
  throw new Error(`git ${call.args[0]} failed: ${reasonIn(ended.err) ?? `it ended with ${ended.code}`}`);
}

/** A path for people, from one that git printed. */
export function readable(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** A path for git; the inverse of `readable`. */
export function bytes(path: string): string {
  return Buffer.from(path, "utf8").toString("latin1");
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
  // A container often runs as another user than the owner of the checkout.
  "safe.directory": "*",
}).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** The author of our commits. */
export const author = { NAME: "until-green", EMAIL: "until-green@users.noreply.github.com" };

const environment = (cwd: string): Readonly<Record<string, string>> => ({
  // git starts others by their names, such as git-lfs.
  PATH: pathOutside(cwd, inherited["PATH"]),
  ...kept(["HOME", "XDG_CONFIG_HOME", "TMPDIR", "TMP", "TEMP", "SystemRoot", "USERPROFILE"]),
  LC_ALL: "C",
  TZ: "UTC",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
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
}

function execute({ cwd, args, env, stdin, signal }: GitCall): Promise<GitResult> {
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...environment(cwd), ...env },
      encoding: "buffer",
      maxBuffer: Number.POSITIVE_INFINITY,
    } as const;
    const child = execFile(gitProgram(), [...settings, ...args], options, (error, out, err) => {
      signal?.removeEventListener("abort", stop);
      const code = error === null ? 0 : (error.code ?? error.signal ?? 1);
      resolve({ code, out: out.toString("latin1"), err: err.toString("utf8") });
    });
    const stop = () => void child.kill();
    signal?.addEventListener("abort", stop);
    // git may exit before it has read everything; its exit code says why
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(Buffer.from(stdin ?? "", "latin1"));
  });
}

async function missing(cwd: string): Promise<Error> {
  const there = await access(cwd).then(
    () => true,
    () => false,
  );
  return new Error(there ? "git is not installed: install git 2.38 or newer" : `${cwd} does not exist`);
}

/** The last line says what failed, and no more than that where a disk is to blame. */
function reasonIn(text: string): string | undefined {
  const lines = text.trim().split("\n");
  return (lines.find((line) => diskFaultIn(line) !== undefined) ?? lines.at(-1))?.trim() || undefined;
}
