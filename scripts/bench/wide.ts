import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { spreadItems } from "../../src/plan/spread.ts";
import { runStats } from "../../src/status/run-stats.ts";
import { parseRunStatus } from "../../src/status/run-status-schema.ts";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { stdinOf } from "../../test/parts/action-inputs.ts";
import { type GitHubHost, openGitHubHost } from "../../test/parts/github-host/host.ts";
import { plantItems } from "../../test/parts/planted-items.ts";
import { attemptRows } from "./attempts.ts";
import { type Row, row } from "./bench.ts";
import { ms, timed } from "./figures.ts";
import { inFolder } from "./scene.ts";
import { rowsOfAll } from "./table.ts";

const run = promisify(execFile);
const of = "wide-bench";
const migrate = `name: migrate
inputs: { item: {} }
nodes: [{ id: work, loop: { prompt: "Migrate $INPUTS.item.", until: DONE, max_iterations: 1 } }]
`;
const files = {
  ".github/loops/migrate.yml": migrate,
  "session.yml": JSON.stringify({ replies: [{ say: "<promise>DONE</promise>", write: { "1.txt": "1\n" } }] }),
};

const parts = { plan: planRows, attempts: attemptRows, join: () => inFolder(joinRows) };

/** The cost of a fan-out without its agents: matrix, join, and requests at the git host; or parts of it. */
export async function wideRows(names: readonly string[]): Promise<readonly Row[]> {
  return await rowsOfAll(parts, names.length === 0 ? Object.keys(parts) : names, async (part) => part());
}

async function planRows(): Promise<readonly Row[]> {
  const items = Array.from({ length: 100_000 }, (_, at) => `packages/${at}`);
  const value = await timed(async () => void spreadItems(items, 391));
  return [row("matrix of 100,000 items in 256 jobs", ms, { value })];
}

async function joinRows(folder: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const count of [16, 64, 256]) {
    const host = await openGitHubHost({ files });
    const begin = { workflow: "migrate", agent: "scripted:session.yml", "run-id": of, item: "1" };
    await job({ host, folder }, { ...begin, inputs: '{"item": "a"}' });
    plantItems(
      host,
      of,
      itemsDone(count, (number) => ({ [`${number}.txt`]: `${number}\n` })),
    );
    const before = host.git.seen.length;
    const publish = { command: "publish", "run-id": of, items: String(count), publish: "branch" };
    const value = await timed(() => job({ host, folder }, publish));
    const requests = host.git.seen.length - before;
    const goal = ["≤ 60 s, ≤ 20", value <= 60_000 && requests <= 20] as const;
    rows.push(
      row(`join of ${count} items`, (took) => `${ms(took)}, ${requests} git requests`, { value, goal }),
    );
    if (count === 256) rows.push(await statsRow(host, folder));
    await host.close();
  }
  return rows;
}

const itemsDone = (count: number, files: (number: number) => Readonly<Record<string, string>>) =>
  Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    outcome: "done" as const,
    files: files(at + 1),
  }));

/** The cost of `stats` for a thousand runs at a host. */
async function statsRow(host: GitHubHost, folder: string): Promise<Row> {
  plantItems(
    host,
    of,
    itemsDone(1_000, () => ({})),
  );
  // Repack, as every git host does: thousands of loose files would measure the host, not us.
  execFileSync("git", ["-C", host.git.path, "repack", "-a", "-d", "--quiet"]);
  execFileSync("git", ["-C", host.git.path, "pack-refs", "--all"]);
  const environment = {
    ...process.env,
    RUNNER_TEMP: join(folder, "stats"),
    GITHUB_SERVER_URL: host.origin,
    GITHUB_TOKEN: host.token,
  };
  const before = host.git.seen.length;
  let counted = 0;
  const value = await timed(async () => {
    const statuses = await gitRefStore({ remote: host.cloneUrl, cwd: folder, environment }).survey?.();
    const summaries = (statuses ?? []).flatMap((status) => parseRunStatus(status)?.summary ?? []);
    counted = runStats(summaries).all.green;
  });
  const requests = host.git.seen.length - before;
  const goal = ["≤ 1 s, ≤ 6", value <= 1_000 && requests <= 6] as const;
  return row(`figures over ${counted} runs`, (took) => `${ms(took)}, ${requests} git requests`, {
    value,
    goal,
  });
}

interface Place {
  readonly host: GitHubHost;
  readonly folder: string;
}

let jobs = 0;

/** One job, in a fresh checkout of depth 1. */
async function job({ host, folder }: Place, inputs: Readonly<Record<string, string>>): Promise<void> {
  jobs += 1;
  const workspace = join(folder, `job-${jobs}`, "checkout");
  execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${host.git.path}`, workspace]);
  execFileSync("git", ["-C", workspace, "remote", "set-url", "origin", host.cloneUrl]);
  const temp = join(workspace, "../temp");
  mkdirSync(temp);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: temp,
    RUNNER_TEMP: temp,
    GITHUB_WORKSPACE: workspace,
    GITHUB_REPOSITORY: host.repository,
    GITHUB_SERVER_URL: host.origin,
    GITHUB_API_URL: host.url,
    GITHUB_EVENT_NAME: "workflow_dispatch",
    GITHUB_SHA: host.git.git("rev-parse", "main"),
    GITHUB_REF: "refs/heads/main",
    GITHUB_RUN_ID: "77",
  };
  const child = run(process.execPath, ["action/main.ts"], { env, timeout: 300_000 });
  child.child.stdin?.end(stdinOf({ ...inputs, "github-token": host.token }));
  await child;
}
