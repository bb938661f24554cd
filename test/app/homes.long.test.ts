import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { execPath, env as own } from "node:process";
import { expect, onTestFinished, test, vi } from "vitest";
import { createHandler } from "../../app/handler.ts";
import { apiOf, openGitHub, openRepositoryContext, sweep } from "../../src/api/github.ts";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";
import { freePort } from "../parts/free-port.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { commentHook } from "./hooks.ts";

const run = "home-run-0a1b2c3d";

const envOf = (github: GitHubHost) => ({
  PATH: own["PATH"] ?? "",
  APP_ID: String(github.app?.appId),
  PRIVATE_KEY: github.app?.privateKey ?? "",
  WEBHOOK_SECRET: github.app?.secret ?? "",
  GHE_HOST: new URL(github.origin).host,
  GHE_PROTOCOL: "http",
  LOG_LEVEL: "info",
});

interface Process {
  readonly text: () => string;
  readonly ended: Promise<number | null>;
  kill(signal?: NodeJS.Signals): void;
}

function start(file: string, env: Readonly<Record<string, string>>, cwd = "."): Process {
  const child = spawn(execPath, [resolve(file)], { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const append = (part: Buffer) => {
    output += part;
  };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", append);
  const ended = new Promise<number | null>((done) => child.on("close", done));
  const kill = (signal: NodeJS.Signals = "SIGKILL") => void child.kill(signal);
  onTestFinished(() => kill());
  return { text: () => output, ended, kill };
}

async function decides(github: GitHubHost, hooks: string): Promise<void> {
  seedRun(github, { run });
  github.webhooks.url = hooks;
  await github.as("ada", "POST /issues/1/comments", { body: `/workflow approve ${run}` });
  await vi.waitFor(() => expect(github.dispatches).toHaveLength(1), { timeout: 30_000, interval: 20 });
  expect(tipOf(github, run).events).toMatchObject([{ type: "run.decided", by: "ada" }]);
}

test("the server, as a process, answers at its port, decides, and asks for redelivery of what failed while it was down", async () => {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  const { origin } = await serve(github);
  expect(await (await fetch(`${origin}/healthz`)).text()).toBe("ok\n");
  await decides(github, `${origin}/api/github/webhooks`);
  expect((await fetch(`${origin}/runs/octocat/hello/${run}`)).status).toBe(200);
  expect(github.journal.map(({ path }) => path)).toContain("/app/hook/deliveries");
});

test("a stopped server finishes its work, and does not wait for viewers", async () => {
  const { github } = await openAppRepository();
  const server = await serve(github);
  seedRun(github, { run });
  const watched = await fetch(`${server.origin}/runs/octocat/hello/${run}/events`);
  expect(watched.status).toBe(200);
  github.fault(/\/dispatches$/, { delayMs: 1_000 });
  github.webhooks.url = `${server.origin}/api/github/webhooks`;
  await github.as("ada", "POST /issues/1/comments", { body: `/workflow approve ${run}` });
  const isDecided = () => expect(tipOf(github, run).events).toMatchObject([{ type: "run.decided" }]);
  await vi.waitFor(isDecided, { timeout: 30_000, interval: 20 });
  expect(github.dispatches).toEqual([]);
  server.kill("SIGTERM");
  expect(await server.ended, server.text()).toBe(0);
  expect(github.dispatches).toHaveLength(1);
  await expect(watched.text()).rejects.toThrow();
});

test("a command that the server had answered for when it was killed is obeyed by the sweep, once", async () => {
  const { github } = await openAppRepository();
  seedRun(github, { run });
  const server = await serve(github);
  github.fault(/^POST .*(access_tokens|reactions)$/, { delayMs: 60_000 });
  github.webhooks.url = `${server.origin}/api/github/webhooks`;
  await github.as("ada", "POST /issues/1/comments", { body: `/workflow approve ${run}` });
  const isAnswered = () => expect(server.text()).toContain("POST /api/github/webhooks 200");
  await vi.waitFor(isAnswered, { timeout: 30_000, interval: 20 });
  server.kill("SIGKILL");
  await server.ended;
  github.heal();
  expect(github.dispatches).toEqual([]);
  const client = openGitHub({ token: github.token, repository: github.repository, apiUrl: github.url });
  const site = openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
  expect(await sweep(site)).toMatchObject({ answered: [] });
  expect(await sweep(site, { graceMs: 0 })).toMatchObject({ answered: [expect.any(Number)], faults: [] });
  expect(tipOf(github, run).events).toMatchObject([{ type: "run.decided", by: "ada" }]);
  expect(github.dispatches).toHaveLength(1);
  expect(await sweep(site, { graceMs: 0 })).toMatchObject({ answered: [] });
});

test("the server that knows no app shows the page that makes one, with just our events and permissions", async () => {
  const folder = mkdtempSync(join(tmpdir(), "new-app-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync("app.yml", join(folder, "app.yml"));
  const port = await freePort();
  const env = { PATH: own["PATH"] ?? "", PORT: `${port}`, HOST: "127.0.0.1" };
  const server = start("app/main.ts", env, folder);
  await vi.waitFor(() => server.text().includes("Listening on") || never(server), {
    timeout: 40_000,
    interval: 20,
  });
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(page).toContain('"default_events":["check_run","issue_comment","push","workflow_run"]');
  expect(page).toContain('"contents":"write"');
  server.kill("SIGTERM");
  expect(await server.ended, server.text()).toBe(0);
});

test("the server does not start without the secret of its webhook, or with an address that is none", async () => {
  const { github } = await openAppRepository();
  const unsafe = start("app/main.ts", { ...envOf(github), WEBHOOK_SECRET: "" });
  const wrong = start("app/main.ts", { ...envOf(github), PUBLIC_URL: "loops" });
  expect([await unsafe.ended, await wrong.ended]).toEqual([2, 2]);
  expect(unsafe.text()).toContain("WEBHOOK_SECRET is not set");
  expect(wrong.text()).toContain('PUBLIC_URL is "loops"');
});

test("the handler answers a platform's request, and is settled when the work is done", async () => {
  const { github } = await openAppRepository();
  const { origin, settled } = await openHandler(github);
  await decides(github, `${origin}/api/github/webhooks`);
  await settled();
  expect((await fetch(`${origin}/nothing`)).status).toBe(404);
  await expect(createHandler({})).rejects.toThrow("WEBHOOK_SECRET is not set");
});

test("the sweep, as a job's process, says what it found, and what it needs", async () => {
  const { github } = await openAppRepository();
  seedRun(github, { run });
  const env = { PATH: own["PATH"] ?? "", GITHUB_REPOSITORY: github.repository, GITHUB_API_URL: github.url };
  const swept = start("app/sweep-job.ts", { ...env, GITHUB_TOKEN: github.token });
  const bare = start("app/sweep-job.ts", env);
  expect([await swept.ended, await bare.ended]).toEqual([0, 2]);
  expect(swept.text()).toContain(
    "1 runs; started: none; commands taken up: 0; their job is gone: none; tidied: none",
  );
  expect(bare.text()).toContain("GITHUB_TOKEN");
});

test.for([
  ["the server, as a process,", serve],
  ["the handler", openHandler],
] as const)(
  "%s refuses a webhook over 25 MB before it has it all, and takes a smaller one",
  async ([, open]) => {
    const { github } = await openAppRepository();
    seedRun(github, { run });
    github.webhooks.url = undefined;
    const { origin } = await open(github);
    const tooLarge = /^HTTP\/1\.1 413 .*connection: close.*the body is larger than 25 MB/is;
    expect(await sendPart(origin, `content-length: ${26 * mebibyte}`, ["{"])).toMatch(tooLarge);
    const chunk = `${mebibyte.toString(16)}\r\n${" ".repeat(mebibyte)}\r\n`;
    const chunks = [...Array.from({ length: 25 }, () => chunk), "1\r\n{\r\n"];
    expect(await sendPart(origin, "transfer-encoding: chunked", chunks)).toMatch(tooLarge);
    const { id } = await github.as("ada", "POST /issues/1/comments", { body: `/workflow approve ${run}` });
    const comment = await github.as("ada", `GET /issues/comments/${id}`);
    const body = JSON.stringify({ ...commentHook(comment), padding: "x".repeat(24 * mebibyte) });
    const signature = createHmac("sha256", github.app?.secret ?? "")
      .update(body)
      .digest("hex");
    const headers = { ...webhookHeaders, "x-hub-signature-256": `sha256=${signature}` };
    const hooks = `${origin}/api/github/webhooks`;
    expect((await fetch(hooks, { method: "POST", headers, body })).status).toBe(200);
    await vi.waitFor(() => expect(github.dispatches).toHaveLength(1), { timeout: 30_000, interval: 20 });
  },
);

const mebibyte = 2 ** 20;
const webhookHeaders = {
  "content-type": "application/json",
  "x-github-event": "issue_comment",
  "x-github-delivery": "a-delivery",
  "x-hub-signature-256": "sha256=00",
};

/** Sends a webhook without its end; returns the answer once the server has closed the connection. */
async function sendPart(origin: string, length: string, parts: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  let answer = "";
  socket.on("data", (part) => {
    answer += part;
  });
  const headers = Object.entries(webhookHeaders).map(([name, value]) => `${name}: ${value}`);
  const head = ["POST /api/github/webhooks HTTP/1.1", "host: app", ...headers, length, "", ""];
  for (const part of [head.join("\r\n"), ...parts]) socket.write(part);
  await once(socket, "close", { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  return socket.closed ? answer : `${answer} (still open)`;
}

/** The handler behind a server of Node. */
async function openHandler(github: GitHubHost) {
  const names = Object.entries(envOf(github)).filter(([name]) => name.startsWith("GHE_"));
  for (const [name, value] of names) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { handle, settled } = await createHandler({ ...envOf(github), LOG_LEVEL: "fatal" });
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, settled };
}

/** The server as a process, once it listens. */
async function serve(github: GitHubHost): Promise<Process & { readonly origin: string }> {
  const port = await freePort();
  const server = start("app/main.ts", { ...envOf(github), PORT: `${port}`, HOST: "127.0.0.1" });
  await vi.waitFor(() => server.text().includes("Listening on") || never(server), {
    timeout: 40_000,
    interval: 20,
  });
  return { ...server, origin: `http://127.0.0.1:${port}` };
}

function never(server: Process): never {
  throw new Error(`the server does not listen: ${server.text()}`);
}
