import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The repository on disk, as used by the API. */
export interface Bare {
  /** Runs git; throws if it fails. */
  git(args: readonly string[], input?: string | Buffer, index?: string): string;
  readonly path: string;
  bytes(args: readonly string[]): Buffer;
  /** The commit a name stands for. */
  commit(name: string): string | undefined;
  tryGit(args: readonly string[], input?: string): string | undefined;
  /** Objects by name, read by one process; `undefined` for missing ones. */
  read(names: readonly string[]): readonly (GitObject | undefined)[];
}

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly bytes: Buffer;
}

export function openBare(path: string): Bare {
  const run = (args: readonly string[], input: string | Buffer = "", index = "index") =>
    execFileSync("git", ["-C", path, ...args], {
      input,
      timeout: 30_000,
      maxBuffer: 256 * 1024 * 1024,
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, ...identity, LC_ALL: "C", GIT_INDEX_FILE: join(path, index) },
    });
  const bare: Bare = {
    path,
    git: (args, input, index) => run(args, input, index).toString().trimEnd(),
    bytes: (args) => run(args),
    tryGit(args, input) {
      try {
        return bare.git(args, input);
      } catch {
        return undefined;
      }
    },
    commit: (name) =>
      bare.tryGit(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]) || undefined,
    read: (names) => objectsIn(run(["cat-file", "--batch"], names.map((name) => `${name}\n`).join(""))),
  };
  return bare;
}

function objectsIn(listed: Buffer): readonly (GitObject | undefined)[] {
  const objects: (GitObject | undefined)[] = [];
  for (let at = 0; at < listed.length; ) {
    const end = listed.indexOf("\n", at);
    const [, id, type = "", size] = /^(\w+) (\w+) (\d+)$/.exec(listed.subarray(at, end).toString()) ?? [];
    const bytes = listed.subarray(end + 1, end + 1 + Number(size ?? 0));
    objects.push(id === undefined ? undefined : { id, type, bytes });
    at = end + 1 + (id === undefined ? 0 : bytes.length + 1);
  }
  return objects;
}

const identity = {
  GIT_AUTHOR_NAME: "GitHub",
  GIT_AUTHOR_EMAIL: "noreply@github.com",
  GIT_COMMITTER_NAME: "GitHub",
  GIT_COMMITTER_EMAIL: "noreply@github.com",
};
