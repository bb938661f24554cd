import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { git } from "../../src/git/git.ts";
import { stdinOf } from "../../test/parts/action-inputs.ts";
import type { Check } from "../../test/parts/github-host/checks.ts";
import type { GitHubHost } from "../../test/parts/github-host/host.ts";

/** What a pull request shows of its run at one moment. */
export interface Shown {
  readonly comment: string;
  readonly check: Check;
  /** The buttons of the check. */
  readonly buttons: readonly string[];
}

interface JobOptions {
  readonly host: GitHubHost;
  /** A working folder. */
  readonly folder: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly event?: { readonly name: string; readonly payload: object };
}

/** Runs the action's program in a fresh checkout of the host's repository, and returns its summary. */
export async function runJob({ host, folder, inputs, event }: JobOptions): Promise<string> {
  const place = mkdtempSync(join(folder, "job-"));
  const workspace = await checkOut(host, join(place, "work"));
  const summary = join(place, "summary.md");
  for (const name of [summary, join(place, "output")]) writeFileSync(name, "");
  writeFileSync(join(place, "event.json"), JSON.stringify(event?.payload ?? {}));
  const job = spawn(process.execPath, ["action/main.ts"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place,
      RUNNER_TEMP: place,
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: workspace,
      GITHUB_OUTPUT: join(place, "output"),
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_EVENT_NAME: event?.name ?? "workflow_dispatch",
      GITHUB_EVENT_PATH: join(place, "event.json"),
      GITHUB_REPOSITORY: host.repository,
      GITHUB_SERVER_URL: host.origin,
      GITHUB_API_URL: host.url,
      GITHUB_RUN_ID: "77",
      GITHUB_SHA: host.git.git("rev-parse", "main"),
      GITHUB_REF: "refs/heads/main",
      GITHUB_REF_NAME: "main",
      GITHUB_JOB: "loop",
    },
  });
  job.stdin.end(stdinOf({ ...inputs, "github-token": host.token }));
  const [log, faults, code] = await Promise.all([
    text(job.stdout),
    text(job.stderr),
    new Promise<number | null>((resolve) => job.once("close", resolve)),
  ]);
  // 3 is a paused run.
  if (code !== 0 && code !== 3) throw new Error(`the job ended with ${code ?? "a signal"}:\n${log}${faults}`);
  return readFileSync(summary, "utf8");
}

/** What the host knows about the only run on its pull request. */
export async function shownOn(host: GitHubHost): Promise<Shown> {
  const comments = (await host.as("octocat", "GET /issues/1/comments")) as readonly {
    readonly body: string;
  }[];
  const comment = comments.find(({ body }) => body.startsWith("<!-- until-green:run="))?.body;
  const check = [...host.checks.values()].at(-1);
  if (comment === undefined || check === undefined) throw new Error("the host shows no run");
  return { comment, check, buttons: buttonsIn(host) };
}

/** The host's responses do not contain them, so they are read from the last request that set them. */
function buttonsIn({ journal }: GitHubHost): readonly string[] {
  const sent = journal.findLast(
    ({ path, body }) => path.includes("/check-runs") && Array.isArray(body?.actions),
  );
  return (sent?.body.actions ?? []).map(({ label }: { readonly label: string }) => label);
}

/** A comment on the pull request, and its event. */
export async function say(
  host: GitHubHost,
  login: string,
  body: string,
): Promise<NonNullable<JobOptions["event"]>> {
  const comment = await host.as(login, "POST /issues/1/comments", { body });
  const user = { login, type: "User" };
  return {
    name: "issue_comment",
    payload: {
      action: "created",
      comment: { id: comment.id, body, created_at: comment.created_at, user },
      issue: { number: 1, pull_request: { url: "" }, user: { login: "octocat" } },
      repository: { default_branch: "main" },
      sender: user,
    },
  };
}

async function checkOut(host: GitHubHost, cwd: string): Promise<string> {
  mkdirSync(cwd);
  const url = host.cloneUrl.replace("://", `://x:${host.token}@`);
  await git({ cwd, args: ["init", "--quiet", "--initial-branch=main"] });
  await git({ cwd, args: ["remote", "add", "origin", host.cloneUrl] });
  await git({ cwd, protocols: "http", args: ["fetch", "--quiet", "--depth=1", url, "main"] });
  await git({ cwd, args: ["checkout", "--quiet", "-B", "main", "FETCH_HEAD"] });
  return cwd;
}
