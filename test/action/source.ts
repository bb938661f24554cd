import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { git } from "../../src/git/git.ts";
import { builtAction } from "../parts/built-action.ts";
import type { CompositeResult, CompositeRun } from "../parts/composite/run-composite.ts";
import { runComposite } from "../parts/composite/run-composite.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";

interface Use {
  readonly host: GitHubHost;
  readonly inputs: Readonly<Record<string, string>>;
  /** The branch or commit that is checked out; `main` by default. */
  readonly ref?: string;
  readonly event?: string;
  readonly payload?: unknown;
  readonly env?: CompositeRun["env"];
  readonly workspace?: string;
  /** Fields of the `github` context, over those of a job on `main`. */
  readonly github?: Readonly<Record<string, unknown>>;
  /** The folder of the action; that of its sources by default. */
  readonly action?: string;
  readonly before?: CompositeRun["before"];
}

/** Runs the action in a fresh checkout of the host's repository, as a job there would. */
export async function useOnHost(use: Use): Promise<CompositeResult & { readonly workspace: string }> {
  const { host, ref = "main", event = "workflow_dispatch", payload = {} } = use;
  const workspace = use.workspace ?? (await checkoutFrom(host, ref));
  const result = await runComposite({
    actionDir: use.action ?? builtAction(),
    workspace,
    inputs: { ...openedBy(use.inputs), ...use.inputs },
    ...(use.env === undefined ? {} : { env: use.env }),
    ...(use.before === undefined ? {} : { before: use.before }),
    github: {
      event_name: event,
      event: payload,
      repository: host.repository,
      server_url: host.origin,
      api_url: host.url,
      token: host.token,
      sha: host.git.git("rev-parse", ref),
      ref: event === "pull_request" ? "refs/pull/1/merge" : "refs/heads/main",
      ref_name: event === "pull_request" ? "1/merge" : "main",
      run_id: "77",
      ...use.github,
    },
  });
  return { ...result, workspace };
}

/** What the agent of a test notes outside its checkout is opened to it, unless the test is about walls. */
function openedBy({ isolation, "agent-command": agent = "" }: Use["inputs"]): Use["inputs"] {
  const folders =
    agent.match(new RegExp(`${tmpdir()}/[\\w.-]+`, "g"))?.filter((path) => existsSync(path)) ?? [];
  return isolation === undefined && folders.length > 0 ? { write: [...new Set(folders)].join("\n") } : {};
}

/** A checkout of depth 1 without credentials, as `actions/checkout` makes it when told to keep none. */
export async function checkoutFrom(host: GitHubHost, ref: string): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "job-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const url = host.cloneUrl.replace("://", `://x:${host.token}@`);
  await git({ cwd, args: ["init", "--quiet", "--initial-branch=main"] });
  await git({ cwd, args: ["remote", "add", "origin", host.cloneUrl] });
  await git({ cwd, protocols: "http", args: ["fetch", "--quiet", "--depth=1", url, ref] });
  await git({ cwd, args: ["checkout", "--quiet", "-B", ref === "main" ? "main" : "pr", "FETCH_HEAD"] });
  return cwd;
}

/** Commits files on a branch of the host, as somebody's push would have. */
export async function commitOn(
  host: GitHubHost,
  branch: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const [tip = ""] = host.git
    .git("for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`)
    .split("\n");
  const parent = tip || host.git.git("rev-parse", "main");
  const entries = Object.entries(files).map(([path, content]) => ({
    path,
    content,
    mode: "100644",
    type: "blob",
  }));
  const tree = await host.as("octocat", "POST /git/trees", { base_tree: parent, tree: entries });
  const message = `Change ${Object.keys(files).join(", ")}`;
  const commit = await host.as("octocat", "POST /git/commits", {
    message,
    tree: tree.sha,
    parents: [parent],
  });
  host.git.git("update-ref", `refs/heads/${branch}`, commit.sha);
  return commit.sha;
}

/** Opens a pull request of a branch, and answers what its events say of it. */
export async function pullOn(host: GitHubHost, branch: string) {
  const pull = await host.as("octocat", "POST /pulls", { title: "T", head: branch, base: "main" });
  return { number: pull.number as number, payload: { action: "synchronize", pull_request: pull } };
}

/** Writes another version of a goal's record, as another run would. */
export async function writeGoal(host: GitHubHost, goal: string, content: string): Promise<void> {
  const ref = `refs/until-green/goals/${goal}`;
  const parent = host.git.git("rev-parse", ref);
  const tree = await host.as("octocat", "POST /git/trees", {
    tree: [{ path: "goal.json", mode: "100644", type: "blob", content }],
  });
  const commit = await host.as("octocat", "POST /git/commits", {
    message: "claim",
    tree: tree.sha,
    parents: [parent],
  });
  host.git.git("update-ref", ref, commit.sha);
}
