import { ProbotOctokit } from "probot";
import { redeliver } from "../../app/redeliver.ts";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import {
  hashOf,
  openRepositoryContext,
  type RepositoryContext,
} from "../../src/issue-ops/repository-context.ts";
import { sweep } from "../../src/issue-ops/sweep.ts";
import { verifyDecision } from "../../src/issue-ops/verify-decision.ts";
import { stickyMarker } from "../../src/render/sticky-comment.ts";
import { buttonHook, commentHook, deliver, repository, workflowHook } from "../app/hooks.ts";
import { type AppHome, openAppHome } from "../parts/app-home.ts";
import { seedRun } from "../parts/app-repository.ts";
import type { GitHubHost, GitHubHostOptions } from "../parts/github-host/host.ts";

const config =
  "allow-teams: [acme/reviewers]\nworkflows: { strict: { minimum-approvals: 2, exclude-author: true } }\n";

const options: GitHubHostOptions = {
  app: true,
  users: { ada: "write", bob: "maintain", eve: "read" },
  files: {
    ".github/until-green.yml": config,
    ".github/loops/fix.yml": "nodes: []\n",
    "README.md": "a project\n",
  },
};

/** All that the app does, by its webhooks, its pages and its sweep. */
export const actAsApp = {
  options,
  async play(host: GitHubHost, url: string): Promise<void> {
    const topic = host.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Topic");
    host.git.git("branch", "topic", topic);
    await host.as("octocat", "POST /pulls", { title: "T", head: "topic", base: "main" });
    const home = await openAppHome({ url, app: host.app });
    // First while there are few comments: of many, Prism says too little.
    await repair(host, url);
    await comments(host, home);
    await otherHooks(host, home);
    await fetch(`${home.origin}/runs/octocat/hello/named-run-0a1b2c3d`);
  },
};

/** Every command, by who may and who may not, of a host with GraphQL and of one without. */
async function comments(host: GitHubHost, home: AppHome): Promise<void> {
  const origin = { pull: 1, head: host.git.git("rev-parse", "topic") };
  const says = async (by: string, body: string) => {
    const made = await host.as(by, "POST /issues/1/comments", { body });
    const delivery = { event: "issue_comment", hook: commentHook(made) };
    await deliver(host, home.hooks, delivery);
    await home.app.deliveries.idle();
    return delivery;
  };
  seedRun(host, { run: "named-run-0a1b2c3d", origin, gates: [{ head: origin.head }] });
  await host.as("github-actions[bot]", "POST /issues/1/comments", {
    body: stickyMarker("named-run-0a1b2c3d"),
  });
  for (const body of ["status", "list", "help", "run fix", "tell fix use maps", "approve", "resume"])
    await says("ada", `/workflow ${body}`);
  await says("eve", "/workflow cancel");
  await says("ada", "/workflow cancel");
  seedRun(host, { run: "two-runs-0a1b2c3d", workflow: "strict", origin });
  for (const by of ["octocat", "ada", "bob"]) {
    const comment = await says(by, "/workflow approve two-runs-0a1b2c3d");
    await deliver(host, home.hooks, comment);
    await home.app.deliveries.idle();
  }
  host.fault(/\/graphql$/, { status: 502 });
  seedRun(host, { run: "rest-run-0a1b2c3d", origin });
  await says("bob", "/workflow reject rest-run-0a1b2c3d no");
  host.heal();
}

async function otherHooks(host: GitHubHost, home: AppHome): Promise<void> {
  const origin = { pull: 1, head: host.git.git("rev-parse", "topic") };
  seedRun(host, { run: "button-run-0a1b2c3d", origin, gates: [{ nonce: "abcdefghij" }] });
  const pressed = buttonHook("button-run-0a1b2c3d", "approve:abcdefghij", "ada");
  await deliver(host, home.hooks, { event: "check_run", hook: pressed });
  seedRun(host, {
    run: "dead-run-0a1b2c3d",
    origin,
    state: "running",
    gates: [],
    job: { run: 7, attempt: 1 },
  });
  host.runs.set(7, { id: 7, status: "completed", conclusion: "failure" });
  await deliver(host, home.hooks, { event: "workflow_run", hook: workflowHook(7) });
  const file = {
    path: ".github/until-green.yml",
    mode: "100644",
    type: "blob",
    content: "approver: [ada]\n",
  };
  const tree = await host.as("octocat", "POST /git/trees", { base_tree: "main", tree: [file] });
  const commit = await host.as("octocat", "POST /git/commits", { message: "C", tree: tree.sha, parents: [] });
  const push = {
    ref: "refs/heads/main",
    after: commit.sha,
    commits: [{ modified: [file.path], added: [], removed: [] }],
  };
  await deliver(host, home.hooks, {
    event: "push",
    hook: { ...push, repository, installation: { id: 100 } },
  });
  await home.app.deliveries.idle();
}

/** What is asked by nobody's word: the sweep, the proof of a decision, deliveries that failed. */
async function repair(host: GitHubHost, url: string): Promise<void> {
  const client = openGitHub({ token: host.token, repository: host.repository, apiUrl: url });
  const site: RepositoryContext = openRepositoryContext({
    api: apiOf(client),
    ...client.at,
    defaultBranch: "main",
  });
  await host.as("github-actions[bot]", "POST /issues/1/comments", {
    body: `${stickyMarker("gone-run-0a1b2c3d")}\n### Gone\n`,
  });
  await sweep(site, { graceMs: 0 });
  const { id, body } = await host.as("bob", "POST /issues/1/comments", { body: "/workflow approve" });
  const payload = {
    run: "named-run-0a1b2c3d",
    by: "bob",
    text: "",
    decision: "approve",
    workflow: "strict",
  } as const;
  await verifyDecision(site, { ...payload, type: "run.decided", comment: { id, sha256: hashOf(body) } });
  const octokit = new ProbotOctokit({
    baseUrl: url,
    throttle: { enabled: false },
    retry: { enabled: false },
  });
  await redeliver(apiOf(octokit), Date.now()).catch(() => undefined);
}
