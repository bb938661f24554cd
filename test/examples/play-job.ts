import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "yaml";
import { type Job, readJobs } from "../../src/cli/init/jobs.ts";
import { openRepository } from "../action/github-job.ts";
import { commitOn, pullOn } from "../action/source.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import type { Permissions } from "../parts/github-host/standing.ts";
import { openNpmRegistry } from "../parts/npm-registry.ts";
import { byInterpreter, type Perform, type Performed, type Trigger } from "../parts/ready-workflow.ts";

export const jobs = readJobs();

/** What the recorded run of a job is to come to, as its page says. */
export function recordedIn({ folder }: Job) {
  const page = readFileSync(join(folder, "README.md"), "utf8");
  const line = /^\[Recorded\]\(session\.yml\).*: (\d+) iterations?, changes ([^.]*(?:\.\w[^.]*)*)\.$/m;
  const [, iterations = "", changed = ""] = line.exec(page.replaceAll(/\n(?=\S)(?!\[Recorded)/g, " ")) ?? [];
  return {
    iterations: Number(iterations),
    changed: [...changed.matchAll(/`([^`]+)`/g)].map(([, file]) => file),
  };
}

/** The events that a workflow names. */
export const triggersOf = ({ workflow }: Job): readonly string[] => {
  const { on } = parse(workflow) as { on: string | Readonly<Record<string, { types?: string[] } | null>> };
  const types = typeof on === "string" ? [] : Object.values(on).flatMap((event) => event?.types ?? []);
  return [...types, ...(typeof on === "string" ? [on] : Object.keys(on))];
};

/** What the jobs of a workflow may do, all together: its host permits no more. */
function permissionsOf({ workflow }: Job): Permissions {
  const { jobs } = parse(workflow) as { jobs: Readonly<Record<string, { permissions: Permissions }>> };
  const all = Object.values(jobs).flatMap(({ permissions }) => Object.entries(permissions));
  const named = all.map(([name, level]) => [name.replaceAll("-", "_"), level] as const);
  return Object.fromEntries(named.toSorted(([, a], [, b]) => (a < b ? -1 : 1)));
}

/** The files in a folder, by their paths. */
function textsIn(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(files.map((file) => [relative(folder, file), readFileSync(file, "utf8")]));
}

/** An older branch, without the last commit of `main`. */
const older = "1.x";

/** A repository with the project of a job, and its loop. */
export async function openProject(job: Job, replies?: string): Promise<GitHubHost> {
  const host = await openRepository({
    users: { ada: "write", eve: "read" },
    permissions: permissionsOf(job),
    isPrivate: true,
    files: {
      ...textsIn(join(job.folder, "project")),
      ...(await npmrcOf(job)),
      // Four runs show what many would.
      [`.github/loops/${job.name}.yml`]: job.loop.replace(/\bstress: \d+/, "stress: 4"),
      ".github/session.yml": replies ?? readFileSync(join(job.folder, "session.yml"), "utf8"),
    },
  });
  const change = join(job.folder, "change");
  host.git.git("update-ref", `refs/heads/${older}`, "main");
  await commitOn(host, "main", { "later.txt": "later\n", ...textsIn(join(job.folder, "later")) });
  await commitOn(host, topic, existsSync(change) ? textsIn(change) : { "new.txt": "new\n" });
  return host;
}

/** The settings with which npm uses the folder `registry` of a job: packages by name and version, and advisories. */
async function npmrcOf({ folder }: Job): Promise<Readonly<Record<string, string>>> {
  const top = join(folder, "registry");
  if (!existsSync(top)) return {};
  const packages = globSync("*/*/", { cwd: top }).map((path) => {
    const [name = "", version = ""] = path.split("/");
    const files = globSync("**/*.*", { cwd: join(top, path) });
    const textOf = (file: string) => readFileSync(join(top, path, file), "utf8");
    return { name, version, files: Object.fromEntries(files.map((file) => [file, textOf(file)])) };
  });
  const advisories = join(top, "advisories.json");
  const known = existsSync(advisories) ? JSON.parse(readFileSync(advisories, "utf8")) : {};
  const { env } = await openNpmRegistry(packages, known);
  return { ".npmrc": `registry=${env.npm_config_registry}\n` };
}

type Event = Pick<Trigger, "event" | "payload" | "inputs">;

/** Whether a run has pushed to that branch. */
const isFixed = (host: GitHubHost) => host.git.git("log", "-1", "--format=%an", topic) === "until-green";

/** A check on the head of the pull request, which fails until a run has pushed to it. */
async function checkOf(host: GitHubHost, shown: { readonly name: string; readonly output?: object }) {
  const { pull_request: pull } = await pullOf(host);
  const conclusion = isFixed(host) ? "success" : "failure";
  const check = { ...shown, head_sha: pull.head.sha, status: "completed", conclusion };
  return { pull, check: { ...check, ...(await host.as("octocat", "POST /check-runs", check)) } };
}

/** The branch of somebody's pull request. */
const topic = "topic";

/** What GitHub sends, for each event that starts a job; and what must have happened before. */
const events: Readonly<Record<string, (host: GitHubHost, job: Job) => Promise<Event>>> = {
  schedule: async () => ({ event: "schedule" }),
  async workflow_run(host) {
    const { pull, check } = await checkOf(host, { name: "test" });
    host.logs.set(check.id, "the tests failed");
    const { head_sha, conclusion } = check;
    const bot = { actor: { login: "dependabot[bot]" }, pull_requests: [{ number: pull.number }] };
    const run = { head_branch: topic, head_sha, conclusion, head_repository: { full_name: host.repository } };
    return { event: "workflow_run", payload: { workflow_run: { ...run, ...bot } } };
  },
  async check_run(host) {
    const message = "Cross-site scripting vulnerability due to a user-provided value.";
    const place = { path: "src/greet.js", start_line: 1, end_line: 1, annotation_level: "failure" };
    const annotations = [{ ...place, title: "Reflected cross-site scripting", message }];
    const output = { title: "1 new alert", summary: "See the annotations.", annotations };
    const { pull, check } = await checkOf(host, { name: "CodeQL", output });
    const app = { slug: "github-advanced-security" };
    const run = {
      ...check,
      app,
      pull_requests: [{ number: pull.number }],
      check_suite: { head_branch: topic },
    };
    return { event: "check_run", payload: { check_run: run } };
  },
  async pull_request_review(host) {
    const { pull_request: pull } = await pullOf(host);
    const text = "Please refuse bounds in the wrong order.";
    const comments = [{ body: text, author: { login: "ada" } }];
    host.threads.splice(0, 1, {
      id: "T1",
      path: "src/clamp.js",
      line: 1,
      isResolved: isFixed(host),
      comments,
    });
    const state = isFixed(host) ? "approved" : "changes_requested";
    const review = { state, user: { login: "ada" }, author_association: "COLLABORATOR" };
    return { event: "pull_request_review", payload: { action: "submitted", review, pull_request: pull } };
  },
  async workflow_dispatch(_, { workflow }) {
    const { inputs = {} } = parse(workflow).on.workflow_dispatch as {
      inputs?: Record<string, { default: string }>;
    };
    const values = Object.entries(inputs).map(([name, input]) => [name, input.default]);
    return { event: "workflow_dispatch", inputs: Object.fromEntries(values) };
  },
  async labeled(host) {
    const { pull_request: pull } = await pullOf(host);
    const label = { name: `backport ${older}` };
    const merged = {
      ...pull,
      merged: true,
      state: "closed",
      merge_commit_sha: host.git.git("rev-parse", topic),
    };
    return { event: "pull_request", payload: { action: "labeled", label, pull_request: merged } };
  },
  async pull_request(host) {
    return { event: "pull_request", payload: await pullOf(host) };
  },
};

/** The pull request of that branch, opened if there is none. */
export async function pullOf(host: GitHubHost) {
  if (!host.journal.some(({ method, path }) => method === "POST" && path.endsWith("/pulls")))
    return (await pullOn(host, topic)).payload;
  return { action: "synchronize", pull_request: await host.as("octocat", "GET /pulls/1") };
}

/** Runs the workflow of a job on the first of its events that is known here. */
export async function play(
  job: Job,
  host: GitHubHost,
  { id = 11, perform = byInterpreter, ...how }: Partial<Trigger> & { readonly perform?: Perform } = {},
): Promise<Performed> {
  const name = triggersOf(job).find((event) => events[event] !== undefined);
  const start = events[name ?? ""];
  if (start === undefined) throw new Error(`no event that starts ${job.name} is known here`);
  return await perform(host, { job: true, name: job.name, id, ...(await start(host, job)), ...how });
}

/** The branches, with the commits at their tips. */
export const branchesOf = (host: GitHubHost): ReadonlyMap<string, string> =>
  new Map(
    host.git
      .git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads")
      .split("\n")
      .map((line) => line.split(" ") as [string, string]),
  );
