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
  const { on } = parse(workflow) as { on: string | Readonly<Record<string, unknown>> };
  return typeof on === "string" ? [on] : Object.keys(on);
};

/** What the jobs of a workflow may do, all together: its host permits no more. */
function permissionsOf({ workflow }: Job): Permissions {
  const { jobs } = parse(workflow) as { jobs: Readonly<Record<string, { permissions: Permissions }>> };
  const all = Object.values(jobs).flatMap(({ permissions }) => Object.entries(permissions));
  const named = all.map(([name, level]) => [name.replaceAll("-", "_"), level] as const);
  return Object.fromEntries(named.toSorted(([, a], [, b]) => (a < b ? -1 : 1)));
}

/** A repository with the project of a job, and its loop. */
export async function openProject(job: Job, replies?: string): Promise<GitHubHost> {
  const project = join(job.folder, "project");
  const entries = readdirSync(project, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const host = await openRepository({
    users: { ada: "write", eve: "read" },
    permissions: permissionsOf(job),
    isPrivate: true,
    files: {
      ...Object.fromEntries(texts.map((file) => [relative(project, file), readFileSync(file, "utf8")])),
      ...(await npmrcOf(job)),
      // Four runs show what many would.
      [`.github/loops/${job.name}.yml`]: job.loop.replace(/\bstress: \d+/, "stress: 4"),
      ".github/session.yml": replies ?? readFileSync(join(job.folder, "session.yml"), "utf8"),
    },
  });
  await commitOn(host, topic, { "new.txt": "new\n" });
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

/** The branch of somebody's pull request. */
const topic = "topic";

/** What GitHub sends, for each event that starts a job; and what must have happened before. */
const events: Readonly<Record<string, (host: GitHubHost) => Promise<Event>>> = {
  schedule: async () => ({ event: "schedule" }),
  async workflow_run(host) {
    const { pull_request: pull } = await pullOf(host);
    const { ref, sha } = pull.head;
    const check = { name: "test", head_sha: sha, status: "completed", conclusion: "failure" };
    host.logs.set((await host.as("octocat", "POST /check-runs", check)).id, "the tests failed");
    const run = { head_sha: sha, head_branch: ref, head_repository: { full_name: host.repository } };
    const bot = { actor: { login: "dependabot[bot]" }, pull_requests: [{ number: pull.number }] };
    const isFixed = host.git.git("log", "-1", "--format=%an", topic) === "until-green";
    const conclusion = isFixed ? "success" : "failure";
    return { event: "workflow_run", payload: { workflow_run: { conclusion, ...run, ...bot } } };
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
  const name = Object.keys(events).find((event) => triggersOf(job).includes(event));
  const start = events[name ?? ""];
  if (start === undefined) throw new Error(`no event that starts ${job.name} is known here`);
  return await perform(host, { job: true, name: job.name, id, ...(await start(host)), ...how });
}

/** The branches, with the commits at their tips. */
export const branchesOf = (host: GitHubHost): ReadonlyMap<string, string> =>
  new Map(
    host.git
      .git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads")
      .split("\n")
      .map((line) => line.split(" ") as [string, string]),
  );
