import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Inputs, readInputs } from "../../../action/inputs/inputs.ts";
import { openJob } from "../../../action/job/job.ts";
import { branchesOf } from "../../../action/publish/publish-context.ts";
import type { PublishPlan } from "../../../action/publish/publish-plan.ts";
import { templatesOf } from "../../../action/publish/pull-text.ts";
import type { PublishSetting, Work } from "../../../action/publish/work.ts";
import { openGitHub } from "../../../src/github/client.ts";
import { summarizeEvents } from "../../../src/status/run-summary.ts";
import { type GitHubHostOptions, openGitHubHost } from "../../parts/github-host/host.ts";
import { greenRun } from "../../render/run-events.ts";

/** The summary of a run whose check is green. */
export const green = summarizeEvents(greenRun);
/** The summary of one whose check is still red. */
export const red = { ...green, conclusion: "failure", stopReason: "max-iterations" } as const;

/** A host, and the private repository of a job in which runs worked on it. */
export async function openWork(options: GitHubHostOptions = {}) {
  const host = await openGitHubHost({ files: { "state.txt": "red\n", "old.txt": "o\n" }, ...options });
  const cwd = mkdtempSync(join(tmpdir(), "work-"));
  onTestFinished(() => {
    for (const folder of [cwd, `${cwd}-temp`]) rmSync(folder, { recursive: true, force: true });
    return host.close();
  });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  git("clone", "--quiet", host.git.path, ".");
  const gitDir = join(cwd, ".git");
  const base = git("rev-parse", "HEAD");
  const token = host.token;
  const github = openGitHub({ token, repository: host.repository, apiUrl: host.url, secondMs: 10 });
  const site = {
    server: host.origin,
    api: host.url,
    repository: host.repository,
    job: `${host.origin}/${host.repository}/actions/runs/7`,
    event: "schedule",
    pull: undefined,
    fork: undefined,
    branch: undefined,
    head: undefined,
  };
  const { PATH } = process.env;
  const environment = {
    PATH,
    GITHUB_SERVER_URL: host.origin,
    GITHUB_WORKSPACE: cwd,
    RUNNER_TEMP: `${cwd}-temp`,
  };
  const job = openJob(environment, ["hidden-key-0123456789"]);
  const remote = await branchesOf({ site, job, cwd }, token);

  /** A snapshot of the workspace: the files of a commit, with these changed, or removed (`undefined`). */
  async function snapshot(files: Readonly<Record<string, string | Buffer | undefined>>, of = base) {
    git("read-tree", "--reset", "-u", of);
    for (const [path, content] of Object.entries(files)) {
      if (content === undefined) rmSync(join(cwd, path));
      else {
        await mkdir(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), content);
      }
    }
    git("add", "--all", "--force");
    const commit = git("commit-tree", git("write-tree"), "-p", of, "-m", "snapshot");
    git("read-tree", "--reset", "-u", base);
    return commit;
  }

  /** The work of a run that is green and changed these files. */
  const workOf = async (
    files: Parameters<typeof snapshot>[0],
    more: Partial<Omit<Work, "summary">> & { readonly summary?: Partial<Work["summary"]> } = {},
  ): Promise<Work> => ({
    gitDir,
    base,
    iterations: [],
    final: await snapshot(files, more.base),
    ...more,
    summary: { ...green, ...more.summary },
  });

  /** How it is published: as a pull request of `work`, with a token whose pushes start checks. */
  const settingOf = (
    inputs: Readonly<Record<string, string>> = {},
    more: Partial<Omit<PublishSetting, "plan">> & { readonly plan?: Partial<PublishPlan> } = {},
  ): PublishSetting => {
    const read = inputsOf({ "push-token": host.tokenOf("octocat"), ...inputs });
    return {
      inputs: read,
      site,
      github,
      opener: undefined,
      job,
      remote,
      restored: [],
      templates: templatesOf(read),
      ...more,
      plan: { way: "pull-request", branch: "work", base: "main", issue: undefined, ...more.plan },
    };
  };

  /** A commit of a person on a branch of the host. */
  async function commitOn(branch: string, files: Readonly<Record<string, string>>, onto = branch) {
    git("fetch", "--quiet", "origin", `refs/heads/${onto}`);
    const tip = git("rev-parse", "FETCH_HEAD");
    const commit = await snapshot(files, tip);
    git("push", "--quiet", "origin", `${commit}:refs/heads/${branch}`);
    return commit;
  }

  return { host, cwd, git, gitDir, base, job, remote, github, site, snapshot, workOf, settingOf, commitOn };
}

export function inputsOf(texts: Readonly<Record<string, string>>): Inputs {
  const read = readInputs(JSON.stringify({ prompt: "Go", "until-bash": "true", ...texts }));
  if (!read.ok) throw new Error(read.faults.join("\n"));
  return read.inputs;
}
