import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import { gitWorkspace } from "../../src/workspace/workspace.ts";

export type Playground = ReturnType<typeof openPlayground>;

export interface PlaygroundOptions {
  /** Committed at the start; `undefined` leaves the repository without a commit. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** The workspace's folder below the checkout's top. */
  readonly below?: string;
  /** What no snapshot may hold. */
  readonly secrets?: readonly string[];
}

/** A real repository in a temporary folder, a workspace in it, and another folder for what the run keeps. */
export function openPlayground({ files, below = ".", secrets = [] }: PlaygroundOptions = {}) {
  const root = temporaryFolder();
  const top = join(root, "checkout");
  const outside = join(root, "outside");
  for (const dir of [top, outside]) mkdirSync(dir);
  const workspace = join(top, below);
  mkdirSync(workspace, { recursive: true });
  const git = (...args: readonly string[]) => runGit(top, ...args);
  git("init", "-q", "-b", "main");
  const write = (changes: Readonly<Record<string, string>>) => writeFiles(top, changes);
  if (files !== undefined) {
    write(files);
    git("add", "--all", "--force");
    git("commit", "-q", "--allow-empty", "-m", "start");
  }
  const keeper = gitWorkspace({ privateDir: (runId) => join(root, "private", runId), secrets });
  const ask = (request: WorkspaceRequest, where = workspace): Promise<WorkspaceAnswer> =>
    keeper.handle(request, { runId: "run-0001", workspace: where, signal: AbortSignal.timeout(20_000) });
  return {
    root,
    top,
    outside,
    workspace,
    git,
    write,
    ask,
    read: (path: string) => readFileSync(join(top, path), "utf8"),
    remove: (path: string) => rmSync(join(top, path), { recursive: true }),
    /** Asks git about the private repository. */
    kept: (...args: readonly string[]) =>
      runGit(root, "--git-dir", join(root, "private/run-0001/snapshots.git"), ...args),
    snapshot: (since?: string, where?: string) => ask({ op: "snapshot", since, message: "iteration" }, where),
  };
}

/** Its commit, which a snapshot always has. */
export async function commitOf(answer: Promise<WorkspaceAnswer>): Promise<string> {
  const { commit } = await answer;
  if (commit === undefined) throw new Error("no commit came back");
  return commit;
}

export function temporaryFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "until-green-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function writeFiles(top: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
}

/** Runs git as a user would, with a name of its own and no personal settings. */
export function runGit(cwd: string, ...args: readonly string[]): string {
  const person = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.com" };
  const committer = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.com" };
  const quiet = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const env = { PATH: process.env["PATH"], ...person, ...committer, ...quiet };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
