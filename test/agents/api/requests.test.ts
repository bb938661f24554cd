import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiAgent } from "../../../src/agents/api.ts";
import { modelNamed } from "../../../src/agents/models.ts";
import { type Asked, openEndpoint } from "../../key-proxy/endpoint.ts";
import { agentContext, ask } from "../agent.contract.ts";
import { streamMessage } from "./message-stream.ts";

// What `api` sends in a long turn, byte by byte, to an endpoint that caches as Anthropic documents it: a prefix that ends
// at a mark is kept, and found again by a mark at its end or up to twenty blocks behind it.

interface Body {
  readonly tools?: readonly object[];
  readonly system?: readonly object[];
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[];
}

const isMarked = (block: object) => "cache_control" in block;
const plain = (block: object) => JSON.stringify({ ...block, cache_control: undefined });
const tokensIn = (text: string) => Math.ceil(text.length / 3);

/** A request as the blocks that a cache compares, in the order in which it does. */
const blocksOf = ({ tools = [], system = [], messages }: Body): readonly object[] => [
  ...tools,
  ...system,
  ...messages.flatMap(({ role, content }) => content.map((block) => ({ role, ...block }))),
];

/** Counts what a request reads from the cache, writes to it, and takes besides. */
function openCache() {
  const kept = new Set<string>();
  return (body: Body) => {
    const blocks = blocksOf(body);
    const hash = createHash("sha256");
    const prefixes = blocks.map((block) => hash.update(plain(block)).copy().digest("hex"));
    const marks = blocks.flatMap((block, at) => (isMarked(block) ? [at] : []));
    const isFound = (at: number) =>
      kept.has(prefixes[at] ?? "") && marks.some((mark) => mark >= at && mark - at < 20);
    const found = blocks.findLastIndex((_, at) => isFound(at));
    const last = marks.at(-1) ?? -1;
    for (const mark of marks) kept.add(prefixes[mark] ?? "");
    const sum = (from: number, to: number) =>
      blocks.slice(from, to).reduce((tokens, block) => tokens + tokensIn(plain(block)), 0);
    return {
      marks: marks.length,
      read: sum(0, found + 1),
      written: sum(found + 1, last + 1),
      rest: sum(last + 1, blocks.length),
    };
  };
}

type Counted = ReturnType<ReturnType<typeof openCache>>;

const output = 200;

/** Answers with a call that reads a file, or ends the turn. */
function answer(response: ServerResponse, { read, written, rest }: Counted, path: string | undefined) {
  const usage = { input_tokens: rest, cache_read_input_tokens: read, cache_creation_input_tokens: written };
  const call = path === undefined ? undefined : { id: `t-${read}`, name: "read", input: { path } };
  streamMessage(response, { text: "Done.", call, usage: { ...usage, output_tokens: output } });
}

/** A turn in which the model reads so many files of so many bytes. */
async function longTurn({ model, steps, bytes }: { model: string; steps: number; bytes: number }) {
  const context = agentContext();
  const count = openCache();
  const counted: Counted[] = [];
  const { url, asked } = await openEndpoint(({ body }: Asked, response) => {
    const one = count(JSON.parse(body) as Body);
    counted.push(one);
    const at = counted.length;
    writeFileSync(join(context.workspace, `${at}.txt`), `line of step ${at}\n`.repeat(bytes / 16));
    answer(response, one, at <= steps ? `${at}.txt` : undefined);
  });
  const environment = {
    PATH: process.env["PATH"],
    ANTHROPIC_API_KEY: "sk-ant-real-key",
    ANTHROPIC_BASE_URL: url,
  };
  const agent = apiAgent({ named: `anthropic/${model}`, environment });
  const reply = await agent.answer(ask({ checks: ["npm test"] }), context);
  return { reply, counted, bodies: asked.map(({ body }) => JSON.parse(body) as Body) };
}

/** What the requests of a turn cost at least: each block is written once and then read, whatever is marked. */
function leastCost(bodies: readonly Body[], model: string): number {
  const price = modelNamed(model)?.price ?? expect.fail(`${model} has no price`);
  const tokens = bodies.map((body, index) => {
    const [now, before] = [body, bodies[index - 1]].map((one) => (one ? blocksOf(one).map(plain) : []));
    const firstNew = (now ?? []).findIndex((block, at) => block !== before?.[at]);
    const sum = (blocks: readonly string[] = []) => blocks.reduce((all, one) => all + tokensIn(one), 0);
    return { read: sum(now?.slice(0, firstNew)), written: sum(now?.slice(firstNew)) };
  });
  const cost = tokens.reduce(
    (sum, { read, written }) => sum + read * price.cache_read + written * price.cache_write,
    0,
  );
  return (cost + bodies.length * output * price.output) / 1_000_000;
}

test("of forty steps nine tenths of the input come from the cache, at hardly more than the least cost", async () => {
  const model = "claude-sonnet-5-5";
  const { reply: answer, counted, bodies } = await longTurn({ model, steps: 40, bytes: 3_200 });
  expect(answer.text).toBe("Done.");
  expect(counted).toHaveLength(41);
  const { input_tokens = 0, cache_read = 0, cost_usd = 0 } = answer.usage ?? {};
  expect(cache_read / input_tokens).toBeGreaterThan(0.9);
  expect(cost_usd / leastCost(bodies, model)).toBeLessThan(1.2);
  // Anthropic refuses a request with more.
  for (const { marks } of counted) expect(marks).toBeLessThanOrEqual(4);
});

test("a turn with more output than the model's window never sends a request over it", async () => {
  const model = "claude-haiku-4-5";
  const { reply: answer, counted, bodies } = await longTurn({ model, steps: 40, bytes: 30_000 });
  expect(answer.text).toBe("Done.");
  const sizes = counted.map(({ read, written, rest }) => read + written + rest);
  expect(Math.max(...sizes)).toBeLessThan(modelNamed(model)?.window ?? 0);
  expect(40 * tokensIn("x".repeat(30_000))).toBeGreaterThan(modelNamed(model)?.window ?? 0);
  expect((answer.usage?.cost_usd ?? 0) / leastCost(bodies, model)).toBeLessThan(1.2);
});

test("the next conversation of a node finds the tools and the lasting part of the system prompt in the cache", async () => {
  const count = openCache();
  const counted: Counted[] = [];
  const { url } = await openEndpoint(({ body }: Asked, response) => {
    const one = count(JSON.parse(body) as Body);
    counted.push(one);
    answer(response, one, undefined);
  });
  const environment = {
    PATH: process.env["PATH"],
    ANTHROPIC_API_KEY: "sk-ant-real-key",
    ANTHROPIC_BASE_URL: url,
  };
  const agent = apiAgent({ named: "anthropic/claude-sonnet-5-5", environment });
  // Another workspace has another path: what is told of it differs.
  for (const prompt of ["One.", "Two."]) await agent.answer(ask({ prompt }), agentContext());
  const [, second] = counted;
  expect(second?.read).toBeGreaterThan(1_500);
  expect(second?.written).toBeLessThan(500);
});
