import { onTestFinished, vi } from "vitest";
import type { HomeOptions } from "../../app/octokit-options.ts";
import type { RunOrigin } from "../../src/engine/log-events.ts";
import type { Json } from "../../src/ports/json.ts";
import type { GateDecider, StatusGate } from "../../src/status/run-status.ts";
import { startSummary } from "../../src/status/run-summary.ts";
import { writeLogCommit } from "../../src/stores/git/commit-log.ts";
import type { StateKey } from "../../src/stores/git/sign.ts";
import { placeOf } from "../../src/stores/run-id.ts";
import { type AppHome, openAppHome } from "./app-home.ts";
import { type GitHubHost, openGitHubHost } from "./github-host/host.ts";

/** A repository with an open pull request, number 1 by `octocat`, in which the app is installed. */
export interface AppRepository {
  readonly github: GitHubHost;
  readonly home: AppHome;
  /** Comments on the pull request, and waits until the app has handled it; returns the comment's id. */
  say(login: string, body: string): Promise<number>;
  /** All reactions to a comment. */
  marks(comment: number): readonly string[];
  /** The app's comments on the pull request, without its marker. */
  replies(): Promise<readonly string[]>;
}

export async function openAppRepository(
  files: Readonly<Record<string, string>> = { "README.md": "a project\n" },
  options: Partial<HomeOptions> = {},
): Promise<AppRepository> {
  const users = { ada: "write", bob: "maintain", eve: "read", mal: "none", "helper[bot]": "write" } as const;
  const github = await openGitHubHost({ app: true, users, files });
  onTestFinished(() => github.close());
  const home = await openAppHome(github, options);
  const topic = github.git.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Topic");
  github.git.git("branch", "topic", topic);
  await github.as("octocat", "POST /pulls", { title: "T", head: "topic", base: "main" });
  github.webhooks.url = home.hooks;
  return {
    github,
    home,
    async say(login, body) {
      const { id } = await github.as(login, "POST /issues/1/comments", { body });
      await vi.waitFor(() => react(github, id), { timeout: 10_000, interval: 5 });
      await home.app.deliveries.idle();
      return id;
    },
    marks: (comment) =>
      github.reactions.filter(({ on }) => on === `issues/comments/${comment}`).map(({ content }) => content),
    async replies() {
      const all: { readonly body: string }[] = [];
      for (let page = 1; all.length === (page - 1) * 100; page++)
        all.push(...(await github.as("octocat", `GET /issues/1/comments?per_page=100&page=${page}`)));
      return all.flatMap(({ body }) =>
        /^<!-- until-green( press=\w+)? -->\n/.test(body) ? [body.split("\n").slice(1).join("\n")] : [],
      );
    },
  };
}

function react(github: GitHubHost, id: number): void {
  const isIt = (payload: unknown) =>
    (payload as { readonly comment?: { readonly id?: number } }).comment?.id === id;
  if (!github.webhooks.sent.some(({ event, payload }) => event === "issue_comment" && isIt(payload)))
    throw new Error("the webhook has not come yet");
}

export interface Seeded {
  readonly run: string;
  readonly state?: "running" | "paused" | "ended";
  readonly gates?: readonly Partial<StatusGate>[];
  readonly origin?: Partial<RunOrigin>;
  readonly job?: { readonly run: number; readonly attempt: number };
  readonly workflow?: string;
  readonly decided?: readonly GateDecider[];
  /** Other fields of its summary. */
  readonly summary?: object;
  /** The comment that shows it. */
  readonly comment?: number;
  /** Trees beside its status at the tip. */
  readonly artifacts?: string;
  readonly sessions?: string;
  /** The key that signs its record. */
  readonly key?: StateKey;
}

/** Records a run that waits at gates, as far as readers of its tip can see. */
export function seedRun(github: GitHubHost, seeded: Seeded): void {
  const {
    run,
    state = "paused",
    gates = [{}],
    origin = {},
    job,
    decided,
    workflow = "fix-tests",
    summary,
    comment,
    artifacts,
    sessions,
    key,
  } = seeded;
  const shown = gates.map((gate, at) => ({
    need: `/fix#${at + 1}?gate`,
    path: `/fix#${at + 1}`,
    question: "look",
    since: "2026-01-01T00:00:00.000Z",
    nonce: `nonce${run.slice(-4)}${at}`.padStart(10, "0").slice(-10),
    ...gate,
  }));
  const status = {
    v: 1,
    summary: {
      ...startSummary(),
      run,
      workflow,
      state,
      ...(state === "ended" ? { conclusion: "success", stopReason: "signal" } : {}),
      gates: shown.map(({ path, question }) => ({ path, question })),
      ...summary,
    },
    gates: shown,
    origin: { repository: github.repository, ...origin },
    decided,
    comment,
    job,
    work: undefined,
  };
  const link = writeLogCommit(github.git.path, "sha1", {
    before: undefined,
    lines: ['{"type":"seeded"}'],
    run,
    epoch: 1,
    nonce: "0123456789abcdef0123456789abcdef",
    owner: "a test",
    at: "2026-01-01T00:00:00.000Z",
    work: undefined,
    artifacts,
    sessions,
    key,
    status: JSON.parse(JSON.stringify(status)) as Json,
  });
  github.git.git("update-ref", `refs/until-green/${placeOf(run)}/state`, link.id);
}

/** The status at a run's tip, and the last added lines. */
export function tipOf(github: GitHubHost, run: string) {
  const { git } = github.git;
  const ref = `refs/until-green/${placeOf(run)}/state`;
  const show = (file: string, at = ref) => git("show", `${at}:${file}`);
  const last = git("rev-list", ref)
    .split("\n")
    .find((commit) => show("events", commit) !== "");
  const events = show("events", last).split("\n").filter(Boolean);
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of all kinds
  return { state: JSON.parse(show("state")), events: events.map((line): any => JSON.parse(line)) };
}
