import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { LogEvent } from "../../src/engine/log-events.ts";
import { appendDecision } from "../../src/runner/append-decision.ts";
import { createRunProjection } from "../../src/status/run-projection.ts";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { builtAction } from "../parts/built-action.ts";
import { openClone } from "../parts/clones.ts";
import { type CompositeResult, runComposite } from "../parts/composite/run-composite.ts";
import { type GitHubHost, type GitHubHostOptions, openGitHubHost } from "../parts/github-host/host.ts";
import type { Folder } from "../parts/terminal.ts";

/** A repository on a host of its own, gone when the test ends. */
export async function openRepository(options: GitHubHostOptions): Promise<GitHubHost> {
  const host = await openGitHubHost(options);
  onTestFinished(() => host.close());
  return host;
}

/** A fresh clone as on another machine. */
export const cloneOf = (host: GitHubHost, name = host.repository, ref = "HEAD"): Promise<Folder> =>
  openClone(
    { ...host.git, url: `${host.origin}/${name}.git`, origin: host.origin, token: host.token },
    { depth: 1, ref },
  );

interface JobOptions {
  readonly inputs: Readonly<Record<string, string>>;
  /** The id of the workflow run. */
  readonly id: number;
  readonly clone?: Folder;
  /** The branch or commit that a new clone checks out; the default branch by default. */
  readonly ref?: string;
  readonly github?: Readonly<Record<string, unknown>>;
  /** How far its clock is ahead, in hours. */
  readonly hoursAhead?: number;
  /** What the step sets under `env`. */
  readonly env?: Readonly<Record<string, string>>;
  /** A module that each program of Node loads first. */
  readonly hook?: string;
  /** The folder of the action; that of its sources by default. */
  readonly action?: string | undefined;
}

/** One job of a workflow, on a machine of its own: checks out and uses the action. */
export async function jobOf(
  host: GitHubHost,
  { inputs, id, clone, ref, github = {}, hoursAhead = 0, env = {}, hook, action }: JobOptions,
): Promise<CompositeResult & { readonly path: string }> {
  const name = String(github["repository"] ?? host.repository);
  const { path } = clone ?? (await cloneOf(host, name, ref));
  const attempt = { run_attempt: Number(github["run_attempt"] ?? 1) };
  host.runs.set(id, { id, ...attempt, status: "in_progress" });
  const loaded = [
    ...(hoursAhead === 0 ? [] : [clockAhead(hoursAhead)]),
    ...(hook === undefined ? [] : [hook]),
  ];
  const result = await runComposite({
    actionDir: action ?? builtAction(),
    workspace: path,
    inputs,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: `${path}/..`,
      ...env,
      ...(loaded.length === 0 ? {} : { NODE_OPTIONS: loaded.map((one) => `--import=${one}`).join(" ") }),
    },
    github: {
      server_url: host.origin,
      api_url: host.url,
      token: host.token,
      repository: host.repository,
      repository_id: "1",
      sha: host.git.git("rev-parse", "HEAD"),
      run_id: String(id),
      workflow_ref: `${host.repository}/.github/workflows/loop.yml@refs/heads/main`,
      ...github,
    },
  });
  host.runs.set(id, { id, ...attempt, status: "completed" });
  return { ...result, path };
}

/** A module after which a program of Node takes the time to be so many hours later. */
const clockAhead = (hours: number) =>
  `data:text/javascript,${encodeURIComponent(`
const Real = Date;
const now = () => Real.now() + ${hours * 3_600_000};
Object.defineProperty(performance, "timeOrigin", { value: performance.timeOrigin + ${hours * 3_600_000} });
globalThis.Date = class extends Real {
  static now() { return now(); }
  constructor(...given) { if (given.length === 0) super(now()); else super(...given); }
};`)}`;

/** What the newest commit of a run's record says. */
export const stateOf = (host: GitHubHost, run: string) =>
  JSON.parse(host.git.git("show", `refs/until-green/${run}/state:state`));

/** Records the decision of a person about the one open gate, as from a machine that does not drive the run. */
export async function recordIn(
  host: GitHubHost,
  run: string,
  decided: (gate: string) => LogEvent,
): Promise<void> {
  const clone = await cloneOf(host);
  const environment = {
    ...process.env,
    RUNNER_TEMP: join(clone.path, ".."),
    GITHUB_SERVER_URL: host.origin,
    GITHUB_TOKEN: host.token,
  };
  const store = gitRefStore({ remote: host.cloneUrl, cwd: clone.path, environment });
  const done = await appendDecision({ store, statusOf: createRunProjection().statusOf }, run, (session) => ({
    record: decided(session.gates()[0]?.need ?? ""),
  }));
  if ("refused" in done) throw new Error(done.because);
}

/** Somebody's comment on the first pull request, and what GitHub tells of it. */
export async function commentOn(host: GitHubHost, login: string, body: string) {
  const comment = await host.as(login, "POST /issues/1/comments", { body });
  const user = { login, type: "User" };
  return {
    action: "created",
    comment: { id: comment.id, body, created_at: comment.created_at, user },
    issue: { number: 1, pull_request: { url: "u" }, user: { login: "octocat" } },
    sender: user,
  };
}

/** The part of the `github` context that tells an event. */
export function eventFile(name: string, payload: object): Readonly<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), "event-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "event.json"), JSON.stringify(payload));
  return { event_name: name, event_path: join(folder, "event.json"), event: payload };
}
