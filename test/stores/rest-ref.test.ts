import { expect, onTestFinished, test } from "vitest";
import type { Api } from "../../src/github/api.ts";
import { digestOf } from "../../src/stores/git/commit-log.ts";
import { restRefs } from "../../src/stores/rest-ref.ts";
import { apiBy } from "../parts/api-by.ts";
import { seedRun, tipOf } from "../parts/app-repository.ts";
import { type GitHubHost, openGitHubHost } from "../parts/github-host/host.ts";

const run = "rest-run-0a1b2c3d";
const at = "2026-01-02T00:00:00.000Z";
const rounds = Number(process.env["UNTIL_GREEN_ROUNDS"] ?? 5);

test("a line added by the API is in the chain like one that git pushed", async () => {
  const { github, refs } = await open();
  const { tip } = await refs.look(run);
  expect(tip?.head).toMatchObject({ run, seq: 1, lines: 1 });
  if (tip === undefined) return;
  expect(
    await refs.append(tip, { lines: ['{"a":1}', '{"b":2}'], owner: "me", at, state: { more: 1 } }),
  ).toMatch(/^[0-9a-f]{40}$/);
  const { state } = tipOf(github, run);
  const digest = digestOf(tip.head.digest, Buffer.from('{"a":1}\n{"b":2}\n'));
  expect(state).toMatchObject({ v: 1, run, seq: 2, lines: 3, epoch: 1, owner: "me", digest, more: 1 });
  expect(state.nonce).not.toBe(tip.head.nonce);
  const after = await refs.look(run);
  expect(after.tip?.lines).toEqual(['{"a":1}', '{"b":2}']);
  expect(await refs.list()).toEqual([run]);
});

test("the folders in a tip's tree stay when lines are added", async () => {
  const { github, refs } = await open();
  const { git } = github.git;
  const folder = git("rev-parse", "main^{tree}");
  const folders = { artifacts: folder, sessions: folder };
  seedRun(github, { run: "full-run-0a1b2c3d", ...folders });
  const { tip } = await refs.look("full-run-0a1b2c3d");
  if (tip === undefined) throw new Error("the run is not there");
  expect(await refs.append(tip, { lines: ['{"a":1}'], owner: "me", at })).toMatch(/^[0-9a-f]{40}$/);
  const ref = "refs/until-green/full-run-0a1b2c3d/state";
  expect(git("ls-tree", "--format=%(path) %(objectname)", ref).split("\n").slice(0, 2)).toEqual([
    `artifacts ${folder}`,
    expect.stringContaining("events "),
  ]);
  expect(git("rev-parse", `${ref}:sessions`)).toBe(folder);
  expect(git("ls-tree", "--name-only", ref).split("\n")).toEqual([
    "artifacts",
    "events",
    "sessions",
    "state",
  ]);
});

test("of writers at once one wins each round, and knows it", { timeout: 600_000 }, async () => {
  const { github, refs } = await open();
  for (let round = 1; round <= rounds; round++) {
    const { tip } = await refs.look(run);
    if (tip === undefined) throw new Error("the run is gone");
    const writers = Array.from({ length: 2 + (round % 7) }, (_, at) => `${round}-${at}`);
    const won = await Promise.all(
      writers.map((name) => refs.append(tip, { lines: [JSON.stringify({ name })], owner: name, at })),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
    const { state, events } = tipOf(github, run);
    expect(state).toMatchObject({
      seq: round + 1,
      lines: round + 1,
      owner: writers[won.findIndex((commit) => commit !== undefined)],
    });
    expect(events).toEqual([{ name: writers[won.findIndex((commit) => commit !== undefined)] }]);
  }
});

test.each([
  ["is refused in doubt", { status: 500 }, 1],
  ["is cut off after it was done", { drop: true }, 1],
  ["never arrives", { refuse: true }, 2],
  ["is refused by a host whose reads come late", { status: 422 }, 2],
])("an update that %s is judged by what the ref says", async (_, fault, times) => {
  const { github, refs } = await open();
  const { tip } = await refs.look(run);
  if (tip === undefined) return;
  github.fault(/^PATCH .*\/git\/refs\//, fault, times);
  expect(await refs.append(tip, { lines: ["{}"], owner: "me", at })).toMatch(/^[0-9a-f]{40}$/);
  expect(tipOf(github, run).state.seq).toBe(2);
});

test("an update that won and was built upon at once is known to have won", async () => {
  const { github, refs } = await open();
  const { tip } = await refs.look(run);
  if (tip === undefined) return;
  let isFirst = true;
  const eager = apiOf(github, async (route) => {
    if (!isFirst || !route.startsWith("PATCH")) return;
    isFirst = false;
    const { tip: mine } = await refs.look(run);
    if (mine !== undefined) await refs.append(mine, { lines: ['{"next":1}'], owner: "next", at });
    throw Object.assign(new Error("no answer came"), { status: 502 });
  });
  const again = restRefs({ api: eager, owner: "octocat", repo: "hello" });
  expect(await again.append(tip, { lines: ["{}"], owner: "me", at })).toMatch(/^[0-9a-f]{40}$/);
  expect(tipOf(github, run).state).toMatchObject({ seq: 3, owner: "next" });
});

test("a writer without permission is refused at once", async () => {
  const { github, refs } = await open();
  const { tip } = await refs.look(run);
  if (tip === undefined) return;
  github.fault(/^PATCH .*\/git\/refs\//, { status: 403, message: "Resource not accessible by integration" });
  await expect(refs.append(tip, { lines: ["{}"], owner: "me", at })).rejects.toThrow(/not accessible/);
});

test("a tip that is none of the run's is damage, and no run is none", async () => {
  const { github, refs } = await open();
  expect((await refs.look("no-such-run")).tip).toBeUndefined();
  await expect(refs.look("../../heads/main")).rejects.toThrow(/not a run id/);
  github.git.git("update-ref", `refs/until-green/${run}/state`, github.git.git("rev-parse", "main"));
  await expect(refs.look(run)).rejects.toThrow(/damaged/);
  github.git.git("update-ref", "-d", `refs/until-green/${run}/state`);
  seedRun(github, { run: "other-run-0a1b2c3d" });
  github.git.git("update-ref", `refs/until-green/${run}/state`, "refs/until-green/other-run-0a1b2c3d/state");
  await expect(refs.look(run)).rejects.toThrow(/damaged/);
});

test("a host without GraphQL returns the same about a run, in more requests, and nothing about a person", async () => {
  const { github, refs } = await open();
  const asked = { login: "octocat", file: "README.md", lines: true };
  const atOnce = await refs.look(run, asked);
  expect(atOnce).toMatchObject({
    tip: { run, lines: ['{"type":"seeded"}'] },
    role: "admin",
    text: "# hello\n",
  });
  github.fault(/\/graphql$/, { status: 404 });
  expect(await refs.look(run, asked)).toEqual({ ...atOnce, role: undefined, text: undefined });
  expect((await refs.look("no-such-run", asked)).tip).toBeUndefined();
  github.git.git("update-ref", `refs/until-green/${run}/state`, github.git.git("rev-parse", "main"));
  await expect(refs.look(run)).rejects.toThrow(/damaged/);
});

async function open() {
  const github = await openGitHubHost();
  onTestFinished(() => github.close());
  seedRun(github, { run });
  return { github, refs: restRefs({ api: apiOf(github), owner: "octocat", repo: "hello" }) };
}

/** The host's API by plain requests; `after` hears of each once it is done. */
function apiOf(github: GitHubHost, after?: (route: string) => Promise<void>): Api {
  return apiBy(async (route, parameters = {}) => {
    const [method = "", path = ""] = route.split(" ");
    const { owner, repo, ...body } = parameters;
    const query = method === "GET" ? `?${new URLSearchParams(body as Record<string, string>)}` : "";
    const base = path === "/graphql" ? github.url.replace(/\/v3$/, "") : github.url;
    const url = base + path.replace("{owner}", String(owner)).replace("{repo}", String(repo)) + query;
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${github.token}`, "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
    });
    const data: unknown = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(JSON.stringify(data)), { status: answer.status });
    await after?.(route);
    return { status: answer.status, data };
  });
}
