import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { expiredRuns } from "../../src/issue-ops/retention.ts";
import { sweep } from "../../src/issue-ops/sweep.ts";
import type { Tip } from "../../src/stores/rest/tip.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** The refs that git lists to somebody who pushes. */
const listedAtPush = ({ git }: GitHubHost) =>
  execFileSync("git", ["receive-pack", "--advertise-refs", git.path], { encoding: "latin1" })
    .split("\n")
    .filter((line) => / refs\//.test(line)).length;

async function swept(config: string) {
  const { github } = await openAppRepository({ "README.md": "x", ".github/until-green.yml": config });
  github.webhooks.url = undefined;
  seedRun(github, { run: "old-run-0a1b2c3d", state: "ended", gates: [], summary: { endedAt: daysAgo(31) } });
  seedRun(github, { run: "new-run-0a1b2c3d", state: "ended", gates: [], summary: { endedAt: daysAgo(29) } });
  seedRun(github, { run: "open-run-0a1b2c3d", summary: { lastAt: daysAgo(400) } });
  seedRun(github, { run: "mute-run-0a1b2c3d", state: "ended", gates: [] });
  const main = github.git.git("rev-parse", "main");
  for (const ref of ["old-run-0a1b2c3d/work", "old-run-0a1b2c3d/attempt", "goals/fix"])
    github.git.git("update-ref", `refs/until-green/${ref}`, main);
  const { removed, faults } = await sweepAll(github);
  expect(faults).toEqual([]);
  const left = github.git.git("for-each-ref", "--format=%(refname)", "refs/until-green/").split("\n");
  return { removed, left: left.map((ref) => ref.replace("refs/until-green/", "")) };
}

const kept = ["goals/fix", "mute-run-0a1b2c3d/state", "new-run-0a1b2c3d/state", "open-run-0a1b2c3d/state"];
const old = ["old-run-0a1b2c3d/attempt", "old-run-0a1b2c3d/state", "old-run-0a1b2c3d/work"];

test("the sweep removes runs that ended more than 30 days ago, with all their refs, and nothing else", async () => {
  expect(await swept("")).toEqual({ removed: ["old-run-0a1b2c3d"], left: kept });
});

test("`retention-days` says otherwise, and a configuration that cannot be read removes nothing", async () => {
  expect(await swept("retention-days: 40\n")).toEqual({ removed: [], left: [...kept, ...old].toSorted() });
  expect(await swept("retention-days: never\n")).toEqual({ removed: [], left: [...kept, ...old].toSorted() });
  expect(await swept("retention-days: soon\n")).toEqual({ removed: [], left: [...kept, ...old].toSorted() });
});

test("`retention-days: 0` keeps no run that has ended and says when", async () => {
  const { removed } = await swept("retention-days: 0\n");
  expect(removed.toSorted()).toEqual(["new-run-0a1b2c3d", "old-run-0a1b2c3d"]);
});

/** Runs that ended more than two days ago, each with the two refs of a run. */
function seedEnded(github: GitHubHost, count: number): void {
  const { git } = github.git;
  seedRun(github, { run: "seed-run-0a1b2c3d", state: "ended", gates: [], summary: { endedAt: "ENDED" } });
  const state = git("show", "refs/until-green/seed-run-0a1b2c3d/state:state");
  git("update-ref", "-d", "refs/until-green/seed-run-0a1b2c3d/state");
  const commits = Array.from({ length: count }, (_, at) => {
    const run = `run-${at}-0a1b2c3d`;
    const text = state.replaceAll("seed-run-0a1b2c3d", run).replace("ENDED", daysAgo(3 + at / 100));
    const ref = `refs/until-green/${run}`;
    return [
      `commit ${ref}/state\ncommitter until-green <u@example.com> 0 +0000\ndata 1\nx`,
      `M 100644 inline state\ndata ${Buffer.byteLength(text)}\n${text}`,
      `reset ${ref}/work\nfrom refs/heads/main\n`,
    ].join("\n");
  });
  execFileSync("git", ["-C", github.git.path, "fast-import", "--quiet"], {
    input: `${commits.join("\n")}\n`,
  });
}

const sweepAll = async (github: GitHubHost) => {
  const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
  return await sweep(openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" }));
};

test("of two thousand ended runs one sweep leaves a hundred, for a tenth of the requests of an hour", async () => {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  const before = listedAtPush(github);
  seedEnded(github, 2_000);
  expect(listedAtPush(github)).toBe(before + 4_000);
  const asked = github.journal.length;
  const { runs, removed, faults } = await sweepAll(github);
  expect({ runs, removed: removed.length, faults }).toEqual({ runs: 2_000, removed: 1_900, faults: [] });
  expect(github.journal.length - asked).toBeLessThanOrEqual(100);
  expect(listedAtPush(github)).toBe(before + 200);
});

test("a host that removes no refs together removes them one by one, for a limited number of requests", async () => {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  seedEnded(github, 210);
  const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
  const graphql = (query: string, variables = {}) =>
    query.includes("updateRefs")
      ? Promise.reject(new Error("Field 'updateRefs' doesn't exist on type 'Mutation'"))
      : client.graphql(query, variables);
  const site = openRepositoryContext({
    api: apiOf({ ...client, graphql }),
    ...client.at,
    defaultBranch: "main",
  });
  const asked = github.journal.length;
  expect(
    [await sweep(site), await sweep(site)].map(({ removed, faults }) => [removed.length, faults]),
  ).toEqual([
    [99, []],
    [11, []],
  ]);
  expect(github.journal.length - asked).toBeLessThanOrEqual(400);
});

test("a run that is continued while the sweep reads stays, and the others are removed", async () => {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  seedEnded(github, 103);
  const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
  const graphql = async (query: string, variables = {}) => {
    const continued = "refs/until-green/run-102-0a1b2c3d/state";
    if (query.includes("updateRefs")) github.git.git("update-ref", continued, "refs/heads/main");
    return await client.graphql(query, variables);
  };
  const site = openRepositoryContext({
    api: apiOf({ ...client, graphql }),
    ...client.at,
    defaultBranch: "main",
  });
  const { removed } = await sweep(site);
  expect(removed.toSorted()).toEqual(["run-100-0a1b2c3d", "run-101-0a1b2c3d"]);
  expect(github.git.git("rev-parse", "refs/until-green/run-102-0a1b2c3d/work")).toMatch(/^[0-9a-f]{40}$/);
});

test("of more ended runs than `retention-runs` the oldest go, but none that ended within two days", () => {
  const ended = [1, 3, 5, 7].map((days) => ({ tip: { run: `run-${days}` } as Tip, endedAt: daysAgo(days) }));
  const now = new Date().toISOString();
  const gone = (config: Parameters<typeof expiredRuns>[0]) =>
    expiredRuns(config, ended, now).map(({ tip }) => tip.run);
  expect(gone({})).toEqual([]);
  expect(gone({ "retention-runs": 2 })).toEqual(["run-5", "run-7"]);
  expect(gone({ "retention-runs": 0 })).toEqual(["run-3", "run-5", "run-7"]);
  expect(gone({ "retention-days": "never", "retention-runs": 3 })).toEqual(["run-7"]);
  expect(gone({ "retention-days": 4, "retention-runs": "never" })).toEqual(["run-5", "run-7"]);
  const many = Array.from({ length: 102 }, (_, at) => ({
    tip: { run: `n-${at}` } as Tip,
    endedAt: daysAgo(3 + at / 100),
  }));
  const removed = (days: "never" | 30) => expiredRuns({ "retention-days": days }, many, now).length;
  expect([removed(30), removed("never")]).toEqual([2, 0]);
});
