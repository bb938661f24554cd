import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createStatusUpdates } from "../../action/github/status-updates.ts";
import type { Api } from "../../src/github/api.ts";
import { apiOf } from "../../src/github/api.ts";
import { type GitHub, openGitHub } from "../../src/github/client.ts";
import { upsertCheckRun, upsertComment } from "../../src/issue-ops/publish-status.ts";
import { readMarks } from "../../src/issue-ops/read-marks.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { sweep } from "../../src/issue-ops/sweep.ts";
import { showRun } from "../../src/issue-ops/update-status.ts";
import { buildRunStatus } from "../../src/status/run-status.ts";
import { parseRunStatus } from "../../src/status/run-status-schema.ts";
import { startSummary } from "../../src/status/run-summary.ts";
import { apiBy } from "../parts/api-by.ts";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";

const run = "told-run-0a1b2c3d";
const url = "https://loops.example";
const seeded = { run, gates: [{ nonce: "abcdefghij" }], origin: { pull: 1 }, job: { run: 77, attempt: 1 } };

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly user: { readonly login: string };
}

const comments = (github: GitHubHost): Promise<readonly Comment[]> =>
  github.as("octocat", "GET /issues/1/comments");

/** What a job shows of the run as it stands on record. */
async function tellAsJob(github: GitHubHost, runId = run, token = github.token) {
  const client = openGitHub({ token, repository: github.repository, apiUrl: github.url });
  const status = parseRunStatus(tipOf(github, runId).state.status);
  if (status === undefined) throw new Error("the run has no status");
  return await upsertComment({ github: client, server: github.origin }, status, { pull: 1 });
}

/** The end of the run's job, of which the app hears. */
async function tellAsApp({ github, home }: Awaited<ReturnType<typeof openAppRepository>>) {
  const repository = {
    name: "hello",
    owner: { login: "octocat" },
    default_branch: "main",
    html_url: `${github.origin}/octocat/hello`,
    private: false,
  };
  const sender = { login: "ada", type: "User" };
  const hook = {
    action: "completed",
    workflow_run: { id: 77 },
    repository,
    sender,
    installation: { id: 100 },
  };
  await github.webhooks.deliver("workflow_run", hook);
  await home.app.deliveries.idle();
}

describe("the mark of a signed record", () => {
  test("is in the run's comment and check, stays when the app writes there, and is not believed of others", async () => {
    // The app waits before it shows a run anew.
    const marked = "marked-run-0a1b2c3d";
    const place = await openAppRepository(undefined, { url });
    const { github } = place;
    await seedRun(github, { ...seeded, run: marked });
    const status = parseRunStatus(tipOf(github, marked).state.status);
    if (status === undefined) throw new Error("the run has no status");
    const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
    const [inComment, inCheck] = ["a", "b"].map((letter) => letter.repeat(40));
    const head = github.git.git("rev-parse", "main");
    const teller = { github: client, server: github.origin };
    const shown = { run: status.summary, pull: 1, comment: undefined, heads: [head, undefined] };
    expect(await readMarks(client, shown)).toEqual([]);
    const forged = `<!-- until-green:run=${marked} -->\n<!-- until-green:record=${"e".repeat(40)} -->\n`;
    await github.as("octocat", "POST /issues/1/comments", { body: forged });
    await upsertComment({ ...teller, mark: () => inComment }, status, { pull: 1 });
    await upsertCheckRun({ ...teller, mark: () => inCheck }, status, { head });
    expect(await readMarks(client, shown)).toEqual([inComment, inCheck]);
    await tellAsApp(place);
    expect(await readMarks(client, shown)).toEqual([inComment, inCheck]);
    github.fault(/check-runs/, { status: 403 });
    expect(await readMarks(client, shown)).toEqual([inComment]);
  });
});

test("a decision of the app marks a signed record, and one that was moved back is not decided on", async () => {
  const signed = "signed-run-0a1b2c3d";
  const { github, say, replies } = await openAppRepository(undefined, { url, stateKey: "a key" });
  const key = { secret: "a key", repository: "octocat/hello" };
  seedRun(github, { run: signed, gates: seeded.gates, origin: seeded.origin, key });
  const ref = `refs/until-green/${signed}/state`;
  const before = github.git.git("rev-parse", ref);
  await say("ada", `/workflow approve ${signed}`);
  const shown = (await comments(github)).map(({ body }) => /until-green:record=(\w+)/.exec(body)?.[1]);
  const marks = shown.filter((mark) => mark !== undefined);
  expect(marks).toHaveLength(1);
  expect(marks).not.toContain(before);
  expect(github.git.git("rev-list", ref).split("\n")).toContain(marks[0]);
  github.git.git("update-ref", ref, before);
  await say("bob", `/workflow reject ${signed}`);
  expect((await replies()).join()).toContain(`is older than \`${marks[0]}\``);
  expect(github.git.git("rev-parse", ref)).toBe(before);
});

describe("the comment of a run", () => {
  test("is one and reads the same, whether the job wrote it last or the app", async () => {
    const place = await openAppRepository(undefined, { url });
    const { github } = place;
    seedRun(github, seeded);
    await tellAsJob(github);
    expect((await comments(github)).map(({ body }) => body.includes("follow it live"))).toEqual([false]);
    await tellAsApp(place);
    const [replies, ...others] = await comments(github);
    expect(others).toEqual([]);
    expect(replies?.body).toContain(`[follow it live](${url}/runs/octocat/hello/${run})`);
    expect(replies?.body).toContain(`[job log](${github.origin}/octocat/hello/actions/runs/77)`);
    await tellAsJob(github);
    expect(await comments(github)).toMatchObject([{ id: replies?.id, body: replies?.body }]);
    // What says the same already is not written again.
    expect(
      github.journal.filter(({ method, path }) => method === "PATCH" && /comments/.test(path)),
    ).toHaveLength(1);
  });

  test("is the one that the app posted before any job did", async () => {
    const place = await openAppRepository(undefined, { url });
    const { github } = place;
    const first = "told-run-2c3d4e5f";
    seedRun(github, { ...seeded, run: first });
    await tellAsApp(place);
    const [replies, ...others] = await comments(github);
    expect([replies?.user.login, others]).toEqual(["until-green-app[bot]", []]);
    expect(tipOf(github, first).state).toMatchObject({ lines: 1, status: { comment: replies?.id } });
    await tellAsJob(github, first);
    expect(await comments(github)).toMatchObject([{ id: replies?.id, body: replies?.body }]);
  });

  test("is the one that a job with another token posted, wherever that is recorded", async () => {
    const place = await openAppRepository(undefined, { url });
    const { github } = place;
    const other = "told-run-3d4e5f6a";
    seedRun(github, { ...seeded, run: other });
    const { id } = await tellAsJob(github, other, github.tokenOf("bob"));
    seedRun(github, { ...seeded, run: other, comment: id });
    await tellAsApp(place);
    await tellAsJob(github, other);
    const all = await comments(github);
    expect(all).toMatchObject([{ id, user: { login: "bob" } }]);
    expect(all[0]?.body).toContain("follow it live");
    // What a record names that is none of the run's, or gone, is no comment of it.
    const foreign = await github.as("ada", "POST /issues/1/comments", { body: "mine" });
    await github.as("bob", `DELETE /issues/comments/${id}`);
    for (const comment of [foreign.id, id]) {
      seedRun(github, { ...seeded, run: other, comment });
      await tellAsJob(github, other);
    }
    expect((await comments(github)).map(({ user }) => user.login)).toEqual(["ada", "github-actions[bot]"]);
  });

  test("keeps the link that the app puts into it while the job begins", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { api, bodies, put } = onePull();
    const at = { owner: "octocat", repo: "hello" };
    const github = {
      at,
      ...(api as Pick<GitHub, "graphql" | "paginate" | "request">),
      login: async () => "until-green-app[bot]",
    };
    const teller = { github, server: "https://github.com" };
    const enabled = { comment: true, check: false };
    const board = createStatusUpdates({ publisher: teller, comment: 1, check: undefined, enabled });
    for (const state of ["running", "paused", "running"] as const) {
      board.look(standingAs(state, { head: "0".repeat(40) }));
      await vi.advanceTimersByTimeAsync(10_000);
      put(bodies.at(-1)?.replace(/<sub>.*<\/sub>/s, `<sub>[follow it live](${url}/runs/1)</sub>`) ?? "");
    }
    board.look(standingAs("ended"));
    await board.close();
    expect(bodies).toHaveLength(7);
    expect(bodies.slice(1).filter((body) => !body.includes("follow it live"))).toEqual([]);
    expect(board.comment()).toBe(1);
  });

  test("of a person or of another program, with a copied marker, is never edited and never counted", async () => {
    const place = await openAppRepository(undefined, { url });
    const { github, say, replies } = place;
    // The app shows one run once in ten seconds.
    const other = "told-run-1b2c3d4e";
    seedRun(github, { ...seeded, run: other });
    const copied = `<!-- until-green:run=${other} -->\n### A copy`;
    const gone = "<!-- until-green:run=gone-run-0a1b2c3d -->\n### A copy";
    for (const body of [copied, gone]) {
      await github.as("ada", "POST /issues/1/comments", { body });
      await github.as("helper[bot]", "POST /issues/1/comments", { body });
    }
    const { id } = await tellAsJob(github, other);
    await tellAsApp(place);
    const all = await comments(github);
    expect(all.slice(0, 4).map(({ body }) => body)).toEqual([copied, copied, gone, gone]);
    expect(all.slice(4)).toMatchObject([{ id, user: { login: "github-actions[bot]" } }]);
    expect(all[4]?.body).toContain("follow it live");
    const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
    expect(
      await sweep(openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" })),
    ).toMatchObject({
      tidied: [],
    });
    await say("ada", "/workflow list");
    expect((await replies()).join()).not.toContain("gone-run");
  });

  test("is edited by the app at most once in ten seconds, and finally shows the status of the run", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { api, bodies } = onePull();
    const site = openRepositoryContext({ api, owner: "octocat", repo: "hello", defaultBranch: "main" });
    await showRun(site, standingAs("running"));
    for (let second = 0; second < 35; second += 1) {
      await showRun(site, standingAs(second < 30 ? "paused" : "ended"));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(bodies.map((body) => /### (\S+)/.exec(body)?.[1])).toEqual(["⏳", "⏸️", "❌"]);
  });
});

const standingAs = (state: "running" | "paused" | "ended", head: { readonly head?: string } = {}) =>
  buildRunStatus({
    summary: { ...startSummary(), run: "paced-run-1", workflow: "fix-tests", state },
    gates: [],
    origin: { repository: "octocat/hello", pull: 1, ...head },
    job: undefined,
    work: undefined,
  });

interface OnePull {
  readonly api: Api;
  readonly bodies: readonly string[];
  /** Edits the comment, as somebody else. */
  put(body: string): void;
}

/** A host with one pull request, and every body that its one comment had. */
function onePull(): OnePull {
  const bodies: string[] = [];
  const user = { login: "until-green-app[bot]" };
  const api = apiBy(async (route, parameters = {}) => {
    if (route === "POST /graphql") return { status: 200, data: { data: { viewer: user } } };
    if (/^(POST|PATCH) .*comments/.test(route)) bodies.push(String(parameters["body"]));
    if (route.startsWith("GET"))
      return { status: 200, data: bodies.slice(-1).map((body) => ({ id: 1, body, user })) };
    return { status: 201, data: { id: 1 } };
  });
  return { api, bodies, put: (body) => void bodies.push(body) };
}
