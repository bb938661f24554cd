import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The repository on disk, as the API reads and writes it. */
export interface Bare {
  /** Runs git; throws where it fails. */
  git(words: readonly string[], input?: string | Buffer, index?: string): string;
  readonly path: string;
  bytes(words: readonly string[]): Buffer;
  /** The commit a name stands for. */
  commit(name: string): string | undefined;
  tryGit(words: readonly string[], input?: string): string | undefined;
}

export function openBare(path: string): Bare {
  const run = (words: readonly string[], input: string | Buffer = "", index = "index") =>
    execFileSync("git", ["-C", path, ...words], {
      input,
      timeout: 30_000,
      maxBuffer: 256 * 1024 * 1024,
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, ...identity, LC_ALL: "C", GIT_INDEX_FILE: join(path, index) },
    });
  const bare: Bare = {
    path,
    git: (words, input, index) => run(words, input, index).toString().trimEnd(),
    bytes: (words) => run(words),
    tryGit(words, input) {
      try {
        return bare.git(words, input);
      } catch {
        return undefined;
      }
    },
    commit: (name) =>
      bare.tryGit(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]) || undefined,
  };
  return bare;
}

const identity = {
  GIT_AUTHOR_NAME: "GitHub",
  GIT_AUTHOR_EMAIL: "noreply@github.com",
  GIT_COMMITTER_NAME: "GitHub",
  GIT_COMMITTER_EMAIL: "noreply@github.com",
};
