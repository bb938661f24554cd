import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { git, readable } from "../git/git.ts";
import { messageOf } from "../ports/message-of.ts";
import { gitProgram } from "../processes/program-path.ts";

/** A git repository with a checkout, as found from a folder inside that checkout. */
export interface LocalRepository {
  /** The checkout's top folder. */
  readonly top: string;
  /** The folder with this checkout's HEAD and index. */
  readonly gitDir: string;
  /** The folder with the objects; differs from `gitDir` in a linked worktree. */
  readonly commonDir: string;
  /** The requested folder, relative to `top`: empty, or with a slash at the end. */
  readonly prefix: string;
  /** `undefined` for a fork, which has the private repository's format. */
  readonly objectFormat: string | undefined;
}

/** Finds the checkout that contains a folder; `undefined` if there is none, or if git is missing. */
export async function findRepository(dir: string): Promise<LocalRepository | undefined> {
  try {
    return await readRepository(dir);
  } catch {
    return undefined;
  }
}

/** Why a folder has no checkout, and the remedy, for people. */
export async function whyNoRepository(dir: string): Promise<string> {
  try {
    await readRepository(dir);
    return `${dir} is a git repository`;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Reads the paths of a checkout; throws an error with a remedy if there is none. The result is cached, because an agent
 * may move or remove the files that lead there.
 */
export async function readRepository(dir: string, signal?: AbortSignal): Promise<LocalRepository> {
  const repository = repositories.get(dir) ?? (await lookFor(dir, signal));
  repositories.set(dir, repository);
  return repository;
}

const repositories = new Map<string, LocalRepository>();

async function lookFor(dir: string, signal?: AbortSignal): Promise<LocalRepository> {
  if (!mayBeIn(dir)) throw none(dir);
  const { code, out, err } = await git({
    cwd: dir,
    args: ["rev-parse", ...questions],
    accept: [0, 128],
    ...(signal === undefined ? {} : { signal }),
  });
  const [bare, objectFormat, gitDir, commonDir, prefix, top] = readable(out).split("\n");
  if (bare === "true")
    throw new Error(`${dir} is a bare git repository: run in a checkout of it (git clone)`);
  if (code === 0 && objectFormat && gitDir && commonDir && prefix !== undefined && top) {
    return { top, gitDir, commonDir, prefix, objectFormat };
  }
  const { damageOf } = await import("../git/damaged-repository.ts");
  const damage = damageOf(dir);
  if (damage !== undefined) throw new Error(damage);
  if (/not a git repository/.test(err) || bare === "false") {
    throw none(dir);
  }
  throw new Error(`git cannot read the repository of ${dir}: ${err.trim().split("\n").at(-1) ?? ""}`);
}

const none = (dir: string) =>
  new Error(`${dir} is not a git repository: run \`git init\` there, or choose another with --cwd`);

/** Whether git could find a repository from here. If nothing looks like one, git need not be started. */
function mayBeIn(dir: string): boolean {
  // If the folder or git is missing, git's own call reports it.
  if (!existsSync(dir) || !isAbsolute(gitProgram())) return true;
  for (let at = realpathSync(dir); ; at = dirname(at)) {
    if (existsSync(join(at, ".git")) || existsSync(join(at, "objects"))) return true;
    if (dirname(at) === at) return false;
  }
}

/** The checked-out commit and its tree; `undefined` before the first commit. */
export async function readHead(
  top: string,
  signal: AbortSignal,
): Promise<{ readonly commit: string; readonly tree: string } | undefined> {
  const args = ["cat-file", "--batch-check=%(objectname)"];
  const { out } = await git({ cwd: top, args, signal, stdin: "HEAD^{commit}\nHEAD^{tree}\n" });
  const [commit, tree] = out.split("\n").filter((line) => !line.endsWith(" missing"));
  return commit && tree ? { commit, tree } : undefined;
}

const questions = [
  "--is-bare-repository",
  "--show-object-format",
  "--absolute-git-dir",
  "--path-format=absolute",
  "--git-common-dir",
  "--show-prefix",
  "--show-toplevel",
];
