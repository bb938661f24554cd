/**
 * Measures the app compared with an empty Probot app: `npm run bench:app`. Signed webhooks over loopback; sender and
 * app are in this process. Asserts nothing. @module
 */
import { createHmac, generateKeyPairSync, randomUUID } from "node:crypto";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createNodeMiddleware, Probot } from "probot";
import { createApplication } from "../../app/webhooks.ts";
import { mb, percentile, times } from "./figures.ts";

const secret = "a secret of the bench";
const privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs1", format: "pem" })
  .toString();
const wanted = Number(process.argv[2] ?? 100_000);

const bare = await openHome((app) => void app.on("issue_comment.created", () => undefined));
const ours = createApplication();
const own = await openHome((app, options) => ours.load(app, options));

// Both are warmed up before either is measured, and they alternate.
for (const home of [bare, own]) await load(home, { count: 2_000, connections: 50 });
const rounds = { bare: [] as Load[], own: [] as Load[] };
for (let round = 0; round < 5; round++) {
  rounds.bare.push(await load(bare, { count: 4_000, connections: 50 }));
  rounds.own.push(await load(own, { count: 4_000, connections: 50 }));
}
const [slow, fast] = [median(rounds.own), median(rounds.bare)];
console.log(`bare Probot      ${fast.rate.toFixed(0)} webhooks/s, p99 ${fast.p99.toFixed(1)} ms`);
console.log(`the app          ${slow.rate.toFixed(0)} webhooks/s, p99 ${slow.p99.toFixed(1)} ms`);
console.log(`of bare          ${((slow.rate / fast.rate) * 100).toFixed(0)} % (goal: 80 % or more)`);

await load(own, { count: 1_000, connections: 50 });
const before = heap();
await load(own, { count: wanted, connections: 50 });
const after = heap();
console.log(
  `heap after 1,000 ${mb(before)}; after ${wanted} more ${mb(after)}: ${times(after / before)} (goal: 1.2x or less)`,
);
process.exit(0);

type Loader = Parameters<typeof createNodeMiddleware>[0];

async function openHome(app: Loader): Promise<number> {
  const probot = new Probot({ appId: 1, privateKey, secret, logLevel: "fatal" });
  const middleware = await createNodeMiddleware(app, { probot });
  const server = createServer((asked, answer) => void middleware(asked, answer));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return (server.address() as AddressInfo).port;
}

interface Load {
  /** Requests per second. */
  readonly rate: number;
  /** In milliseconds. */
  readonly p99: number;
}

/** Sends webhooks of comments without commands, the usual case. */
async function load(
  port: number,
  { count, connections }: { readonly count: number; readonly connections: number },
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const body = JSON.stringify({
    action: "created",
    comment: { id: 1, body: `looks good to me ${"x".repeat(8_000)}`, user: { login: "ada", type: "User" } },
    issue: { number: 1, pull_request: {} },
    repository: {
      name: "r",
      owner: { login: "o" },
      default_branch: "main",
      html_url: "https://github.com/o/r",
    },
    sender: { login: "ada", type: "User" },
    installation: { id: 1 },
  });
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const durations: number[] = [];
  let left = count;
  const begun = performance.now();
  const send = async () => {
    while (left-- > 0) {
      const start = performance.now();
      await post({ port, agent, body, signature });
      durations.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
  const seconds = (performance.now() - begun) / 1_000;
  agent.destroy();
  return { rate: count / seconds, p99: percentile(durations, 99) };
}

interface Webhook {
  readonly port: number;
  readonly agent: Agent;
  readonly body: string;
  readonly signature: string;
}

function post({ port, agent, body, signature }: Webhook): Promise<void> {
  return new Promise((done, failed) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "x-github-event": "issue_comment",
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": signature,
    };
    const path = "/api/github/webhooks";
    const sent = request({ host: "127.0.0.1", port, agent, method: "POST", path, headers }, (answer) => {
      answer.resume().on("end", done);
      if (answer.statusCode !== 200) failed(new Error(`a webhook was answered by ${answer.statusCode}`));
    });
    sent.on("error", failed).end(body);
  });
}

function median(loads: readonly Load[]): Load {
  const sorted = loads.toSorted((a, b) => a.rate - b.rate);
  return sorted[Math.floor(sorted.length / 2)] ?? { rate: 0, p99: 0 };
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
