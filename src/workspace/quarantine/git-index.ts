import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gitEnvironment } from "../../processes/git-environment.ts";
import { gitProgram } from "../../processes/program-path.ts";
import { replaceFile } from "../../processes/replace-file.ts";
import type { Quarantine } from "./folder.ts";

/** Hides the missing quarantined files from git, so that an agent that commits everything does not delete them. */
export function hideFromGit(quarantine: Quarantine, paths: readonly string[]): void {
  if (quarantine.gitDir === undefined || !existsSync(join(quarantine.gitDir, "index"))) return;
  const listed = git(quarantine, ["ls-files", "-t", "-z", "--", ...paths.map((path) => `:(literal)${path}`)]);
  const seen = listed.split("\0").flatMap((row) => (row.startsWith("H ") ? [row.slice(2)] : []));
  if (seen.length === 0) return;
  const hidden = [...new Set([...readHidden(quarantine), ...seen])];
  replaceFile(listOf(quarantine), Buffer.from(hidden.join("\0"), "latin1"));
  try {
    git(quarantine, ["update-index", "-z", "--skip-worktree", "--stdin"], seen);
  } catch {
    // Another process holds the index lock. The files are restored in any case.
  }
}

/** Undoes `hideFromGit`; skips paths that are no longer tracked. */
export function showToGit(quarantine: Quarantine): void {
  const hidden = readHidden(quarantine);
  if (hidden.length === 0) return;
  try {
    const tracked = new Set(git(quarantine, ["ls-files", "-z"]).split("\0"));
    const paths = hidden.filter((path) => tracked.has(path));
    git(quarantine, ["update-index", "-z", "--no-skip-worktree", "--stdin"], paths);
    rmSync(listOf(quarantine), { force: true });
  } catch {
    // Another process holds the index lock. The list stays for the next time.
  }
}

const listOf = ({ place }: Quarantine) => join(place, "hidden");

function readHidden(quarantine: Quarantine): readonly string[] {
  const list = listOf(quarantine);
  return existsSync(list) ? readFileSync(list, "latin1").split("\0") : [];
}

/** Runs git; output has one character per byte, so that paths in any encoding survive. */
function git(
  { top, gitDir = "" }: Quarantine,
  args: readonly string[],
  paths: readonly string[] = [],
): string {
  const plain = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"];
  return execFileSync(gitProgram(), [...plain, ...args], {
    cwd: top,
    encoding: "latin1",
    input: Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1"),
    maxBuffer: 1024 * 1024 * 1024,
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...gitEnvironment(top), GIT_DIR: gitDir, GIT_WORK_TREE: top },
  });
}
