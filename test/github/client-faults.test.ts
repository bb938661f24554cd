import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import nock from "nock";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { GitHubError, type GitHubOptions, openGitHub } from "../../src/github/client.ts";

const api = "https://api.github.com";
const token = "ghp_secretsecretsecret";
const pull = { owner: "octocat", repo: "hello", pull_number: 1 };
const route = "GET /repos/{owner}/{repo}/pulls/{pull_number}";
const path = "/repos/octocat/hello/pulls/1";

function open(options: Partial<GitHubOptions> = {}) {
  return openGitHub({ token, repository: "octocat/hello", secondMs: 2, patienceMs: 5_000, ...options });
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => error as GitHubError,
  );

describe("against a pretended network", () => {
  beforeAll(() => {
    nock.disableNetConnect();
    return () => {
      nock.enableNetConnect();
      nock.restore();
    };
  });

  const host = (url = api) => {
    onTestFinished(() => nock.cleanAll());
    return nock(url);
  };

  test.each([
    { what: "429 with a time to wait", status: 429, body: { message: "Too many requests" }, after: "1" },
    { what: "429 that says nothing", status: 429, body: { message: "Slow down" }, after: undefined },
    {
      what: "a secondary limit",
      status: 403,
      body: { message: "You have exceeded a secondary rate limit." },
      after: "2",
    },
    { what: "the words of older hosts", status: 403, body: { message: "abuse detection" }, after: "1" },
  ])("$what is waited for, and a POST that it refused is sent again", async ({ status, body, after }) => {
    const headers = after === undefined ? {} : { "retry-after": after };
    host().post("/repos/octocat/hello/pulls").reply(status, body, headers);
    host().post("/repos/octocat/hello/pulls").reply(201, { number: 7 });
    const made = { owner: "octocat", repo: "hello", title: "T", head: "topic", base: "main" };
    const { data } = await open().request("POST /repos/{owner}/{repo}/pulls", made);
    expect(data.number).toBe(7);
    expect(nock.isDone()).toBe(true);
  });

  test("a primary limit is waited for until its reset", async () => {
    const reset = String(Math.floor(Date.now() / 1_000) + 2);
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
    host().get(path).reply(403, { message: "API rate limit exceeded" }, headers);
    host().get(path).reply(200, { number: 1 });
    expect((await open().request(route, pull)).data.number).toBe(1);
  });

  // GitHub asks for a minute or more, and jobs are patient for less than that with a host that is down.
  test("a secondary limit is waited for longer than a host that is down", async () => {
    host()
      .post(path)
      .reply(403, { message: "You have exceeded a secondary rate limit." }, { "retry-after": "60" });
    host().post(path).reply(201, { number: 7 });
    const impatient = open({ patienceMs: 100, secondMs: 10 });
    expect((await impatient.request(route.replace("GET", "POST"), pull)).data.number).toBe(7);
  });

  test("a limit that ends after our patience is reported at once, as it was said", async () => {
    host().get(path).reply(429, { message: "Too many requests" }, { "retry-after": "3600" });
    const error = await failureOf(open().request(route, pull));
    expect(error).toBeInstanceOf(GitHubError);
    expect(error).toMatchObject({ status: 429 });
    expect(error.message).toContain("Too many requests");
  });

  test.each([500, 502, 503, 504])("a read answered %i is sent again", async (status) => {
    host().get(path).times(2).reply(status, "<html>Unicorn!</html>");
    host().get(path).reply(200, { number: 1 });
    expect((await open().request(route, pull)).data.number).toBe(1);
  });

  test("a host that stays broken is given up when the patience is spent", async () => {
    host().get(path).times(50).reply(502, "bad gateway");
    const error = await failureOf(open({ secondMs: 20, patienceMs: 500 }).request(route, pull));
    expect(error).toMatchObject({ status: 502 });
    expect(nock.pendingMocks()).not.toEqual([]);
  });

  test("a POST that may have been carried out is not sent twice", async () => {
    host().post("/repos/octocat/hello/pulls").reply(502, "bad gateway");
    host().post("/repos/octocat/hello/pulls").reply(201, { number: 8 });
    const made = { owner: "octocat", repo: "hello", title: "T", head: "topic", base: "main" };
    const error = await failureOf(open().request("POST /repos/{owner}/{repo}/pulls", made));
    expect(error).toMatchObject({ status: 502 });
    expect(nock.pendingMocks()).toHaveLength(1);
  });

  test.each(["blobs", "trees", "commits"])(
    "a POST of %s, addressed by content, is sent again",
    async (kind) => {
      host().post(`/repos/octocat/hello/git/${kind}`).reply(500, "oops");
      host().post(`/repos/octocat/hello/git/${kind}`).replyWithError("socket hang up");
      host().post(`/repos/octocat/hello/git/${kind}`).reply(201, { sha: "abc" });
      const { data } = await open().request(`POST /repos/{owner}/{repo}/git/${kind}`, {
        owner: "octocat",
        repo: "hello",
      });
      expect(data.sha).toBe("abc");
    },
  );

  test("a question of GraphQL is asked again, a mutation is not", async () => {
    host().post("/graphql").reply(502, "bad gateway");
    host()
      .post("/graphql")
      .reply(200, { data: { viewer: { login: "ada" } } });
    expect(await open().graphql("{ viewer { login } }")).toEqual({ viewer: { login: "ada" } });
    host().post("/graphql").reply(502, "bad gateway");
    host().post("/graphql").reply(200, { data: {} });
    const error = await failureOf(open().graphql("mutation { x }"));
    expect(error).toMatchObject({ status: 502 });
    expect(nock.pendingMocks()).toHaveLength(1);
  });

  test("broken JSON is no answer: a read is sent again, a write is reported as unknown", async () => {
    const json = { "content-type": "application/json" };
    host().get(path).reply(200, '{"number":', json);
    host().get(path).reply(200, { number: 1 });
    expect((await open().request(route, pull)).data.number).toBe(1);
    host().post("/repos/octocat/hello/pulls").reply(201, '{"numb', json);
    const made = { owner: "octocat", repo: "hello", title: "T", head: "topic", base: "main" };
    const error = await failureOf(open().request("POST /repos/{owner}/{repo}/pulls", made));
    expect(error).toMatchObject({ status: 0 });
    expect(error.message).toBe(
      "GitHub did not answer POST /repos/octocat/hello/pulls: the answer is broken JSON",
    );
  });

  test("the redirect of a renamed repository is followed, and another host never gets the token", async () => {
    host()
      .get(path)
      .reply(301, "", { location: `${api}/repositories/1/pulls/1` });
    host()
      .get("/repositories/1/pulls/1")
      .matchHeader("authorization", `token ${token}`)
      .reply(200, { number: 1 });
    expect((await open().request(route, pull)).data.number).toBe(1);
    host().get(path).reply(302, "", { location: "https://elsewhere.example/stolen" });
    const other = nock("https://elsewhere.example", { badheaders: ["authorization"] });
    other.get("/stolen").reply(200, { number: 2 });
    expect((await open().request(route, pull)).data.number).toBe(2);
  });

  test.each([`${api}`, "https://ghe.example/api/v3"])(
    "GraphQL of %s is asked where that host has it",
    async (url) => {
      const at = url.endsWith("/api/v3") ? "https://ghe.example" : url;
      host(at)
        .post(url.endsWith("/api/v3") ? "/api/graphql" : "/graphql")
        .reply(200, { data: { viewer: { login: "ada" } } });
      expect(await open({ apiUrl: url }).login()).toBe("ada");
    },
  );

  test("no error shows the token", async () => {
    host().get(path).reply(401, { message: "Bad credentials" });
    const error = await failureOf(open().request(route, pull));
    expect(JSON.stringify(error) + String(error.stack)).not.toContain("secretsecret");
  });
});

describe("against a host that accepts and stays silent", () => {
  async function listen(
    answer: RequestListener,
  ): Promise<{ readonly apiUrl: string; readonly asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  test("a read is asked again within the patience, then given up", async () => {
    const { apiUrl, asked } = await listen(() => undefined);
    const error = await failureOf(open({ apiUrl, timeoutMs: 100, patienceMs: 350 }).request(route, pull));
    expect(error).toMatchObject({ status: 0 });
    expect(error.message).toContain("no whole answer within 100 ms");
    expect(asked.length).toBeGreaterThan(1);
  });

  test("a write is given up after one attempt", async () => {
    const { apiUrl, asked } = await listen(() => undefined);
    const made = { owner: "octocat", repo: "hello", title: "T", head: "topic", base: "main" };
    const github = open({ apiUrl, timeoutMs: 100 });
    const error = await failureOf(github.request("POST /repos/{owner}/{repo}/pulls", made));
    expect(error.message).toContain("no whole answer within 100 ms");
    expect(asked).toEqual(["POST /repos/octocat/hello/pulls"]);
  });

  test("half an answer is none", async () => {
    const { apiUrl } = await listen((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"number":');
    });
    const error = await failureOf(open({ apiUrl, timeoutMs: 100, patienceMs: 150 }).request(route, pull));
    expect(error).toMatchObject({ status: 0 });
  });

  test("a cancelled job waits for no answer, and asks nothing more", async () => {
    const cancel = new AbortController();
    const { apiUrl, asked } = await listen(() => cancel.abort());
    const github = open({ apiUrl, timeoutMs: 60_000, patienceMs: 120_000, signal: cancel.signal });
    expect((await failureOf(github.request(route, pull))).message).toContain("cancelled");
    await failureOf(github.request(route, pull));
    expect(asked).toHaveLength(1);
  });
});
