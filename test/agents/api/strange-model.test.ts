import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiAgent } from "../../../src/agents/api.ts";
import { type Asked, openEndpoint } from "../../key-proxy/endpoint.ts";
import { eventsOf, says } from "../../parts/faulty-model.ts";
import { agentContext, ask } from "../agent.contract.ts";
import { streamMessage } from "./message-stream.ts";

// What models do that no one expects, against an endpoint that refuses what Anthropic's API refuses.

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly text?: string;
  readonly tool_use_id?: string;
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

/** Why Anthropic's API refuses a request; by its documentation and its error messages. */
function refusalOf({ messages }: Body): string | undefined {
  const blocks = messages.flatMap(({ content }) => content);
  const ids = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
  if (new Set(ids).size < ids.length) return "`tool_use` ids must be unique";
  const isAnswered = messages.every(({ content }, at) => {
    const results = (messages[at + 1]?.content ?? []).flatMap(({ tool_use_id: id }) => id ?? []);
    const calls = content.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
    return calls.toSorted().join() === results.toSorted().join();
  });
  if (!isAnswered) return "`tool_use` ids were found without `tool_result` blocks immediately after";
  if (messages.some(({ content }) => content.length === 0)) return "all messages must have non-empty content";
  return blocks.map(refusalOfBlock).find((refusal) => refusal !== undefined);
}

function refusalOfBlock({ type, id = "", name = "", input, text = "" }: Block): string | undefined {
  if (type === "text" && text.trim() === "") return "text content blocks must contain non-whitespace text";
  if (type !== "tool_use") return undefined;
  if (!/^[A-Za-z0-9_-]+$/.test(id)) return "tool_use.id: String should match pattern";
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(name)) return "tool_use.name: String should match pattern";
  const isRecord = typeof input === "object" && input !== null && !Array.isArray(input);
  return isRecord ? undefined : "tool_use.input: Input should be a valid dictionary";
}

/** Plays a turn: these answers of the model one after the other, then the end. */
async function play(answers: readonly Parameters<typeof says>[0][]) {
  const refusals: string[] = [];
  const bodies: Body[] = [];
  const { url } = await openEndpoint(({ body }: Asked, response) => {
    const asked = JSON.parse(body) as Body;
    bodies.push(asked);
    const refusal = refusalOf(asked);
    if (refusal !== undefined) refusals.push(refusal);
    says(answers[bodies.length - 1] ?? { text: "Done." })(response, "messages");
  });
  const context = agentContext();
  const environment = {
    PATH: process.env["PATH"],
    ANTHROPIC_API_KEY: "sk-real-key",
    ANTHROPIC_BASE_URL: url,
  };
  const agent = apiAgent({ named: "anthropic/claude-haiku-4-5", environment });
  const answer = await agent.answer(ask(), context);
  return { answer, refusals, bodies, context, agent };
}

const bash = (id: string, command: string) => ({ id, name: "bash", json: JSON.stringify({ command }) });

test.each([
  ["an unknown tool", [{ id: "t1", name: "no.such tool", json: "{}" }]],
  ["a tool without a name", [{ id: "t1", name: "", json: "{}" }]],
  ["arguments that are a list", [{ id: "t1", name: "read", json: "[1]" }]],
  ["arguments that are null", [{ id: "t1", name: "read", json: "null" }]],
  ["arguments that are text", [{ id: "t1", name: "read", json: '"a.txt"' }]],
  ["arguments that are no JSON", [{ id: "t1", name: "read", json: "{path: a.txt" }]],
  ["an id with other letters", [bash("functions.bash:0", "true")]],
  ["one id for all calls", [bash("t1", "echo a >> out.txt"), bash("t1", "echo b >> out.txt")]],
])("after %s the conversation continues, in requests that the provider accepts", async (_, calls) => {
  const { answer, refusals, bodies } = await play([{ calls }, { text: " \n", calls: [bash("t1", "true")] }]);
  expect(answer.text).toBe("Done.");
  expect(refusals).toEqual([]);
  expect(bodies).toHaveLength(3);
});

test("whitespace instead of an answer fails the turn, and the conversation continues with the next", async () => {
  const { url, asked } = await openEndpoint(({ body }: Asked, response) => {
    const refusal = refusalOf(JSON.parse(body) as Body);
    says({ text: refusal ?? (asked.length === 2 ? "\n\n" : "Done.") })(response, "messages");
  });
  const environment = {
    PATH: process.env["PATH"],
    ANTHROPIC_API_KEY: "sk-real-key",
    ANTHROPIC_BASE_URL: url,
  };
  const agent = apiAgent({ named: "anthropic/claude-haiku-4-5", environment });
  const context = agentContext();
  const { session = "" } = await agent.answer(ask({ prompt: "One." }), context);
  await expect(agent.answer(ask({ prompt: "Two.", session }), context)).rejects.toMatchObject({
    fault: "empty",
  });
  expect((await agent.answer(ask({ prompt: "Three.", session }), context)).text).toBe("Done.");
});

test("fifty calls in one step, each with a long result, stay below the model's window", async () => {
  const calls = Array.from({ length: 50 }, (_, nth) =>
    bash(`t${nth}`, `echo ${nth}; seq 1 20000; echo n${nth} >> out.txt`),
  );
  const { answer, bodies, context } = await play([{ calls }]);
  expect(answer.text).toBe("Done.");
  expect(readFileSync(join(context.workspace, "out.txt"), "utf8").trim().split("\n")).toHaveLength(50);
  expect(JSON.stringify(bodies.at(-1)).length / 3).toBeLessThan(200_000);
  expect(bodies.at(-1)?.messages.at(-1)?.content).toHaveLength(50);
}, 120_000);

test("fifty reads in one step all come back, each with its own file", async () => {
  const context = agentContext();
  for (let nth = 0; nth < 50; nth += 1) writeFileSync(join(context.workspace, `${nth}.txt`), `file ${nth}`);
  const calls = Array.from({ length: 50 }, (_, nth) => ({
    id: `t${nth}`,
    name: "read",
    json: `{"path":"${nth}.txt"}`,
  }));
  let second = "";
  const { url, asked } = await openEndpoint(({ body }: Asked, response) => {
    if (asked.length === 2) second = body;
    says(asked.length === 1 ? { calls } : { text: "Done." })(response, "messages");
  });
  const environment = {
    PATH: process.env["PATH"],
    ANTHROPIC_API_KEY: "sk-real-key",
    ANTHROPIC_BASE_URL: url,
  };
  await apiAgent({ named: "anthropic/claude-haiku-4-5", environment }).answer(ask(), context);
  for (let nth = 0; nth < 50; nth += 1) expect(second).toContain(`1\\tfile ${nth}"`);
}, 120_000);

test("a conversation that long messages fill is never sent: a new one continues from a digest", async () => {
  const usage = { input_tokens: 100, output_tokens: 20 };
  const long = "x".repeat(200_000);
  const { url, asked } = await openEndpoint((_, response) => {
    const step = asked.length;
    const call = { id: `t${step}`, name: "write", input: { path: `${step}.txt`, content: long } };
    streamMessage(response, { text: "Done.", call: step <= 7 ? call : undefined, usage });
  });
  const environment = {
    PATH: process.env["PATH"],
    ANTHROPIC_API_KEY: "sk-real-key",
    ANTHROPIC_BASE_URL: url,
  };
  const context = agentContext();
  const answer = await apiAgent({ named: "anthropic/claude-haiku-4-5", environment }).answer(ask(), context);
  expect(answer.text).toBe("Done.");
  expect(answer.notices?.filter(({ code }) => code === "CONTEXT_FULL").length).toBeGreaterThan(1);
  for (const { body } of asked) expect(body.length / 3).toBeLessThan(200_000);
  expect(existsSync(join(context.workspace, "7.txt"))).toBe(true);
  expect(asked).toHaveLength(8);
});

test("events that Anthropic's API may add one day are left out of the stream", async () => {
  const event = (value: { readonly type: string }) =>
    `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const future = { type: "message_mood", mood: { of: ["the model"] } };
  const { url } = await openEndpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = eventsOf("messages", { text: "größe 🦊" }) as readonly { readonly type: string }[];
    const bytes = Buffer.from(
      [future, ...events, future]
        .flatMap((one) => [one, future])
        .map(event)
        .join(""),
    );
    // In pieces that cut events, lines and characters.
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  });
  const environment = { ANTHROPIC_API_KEY: "sk-real-key", ANTHROPIC_BASE_URL: url };
  const answer = await apiAgent({ named: "anthropic/claude-haiku-4-5", environment }).answer(
    ask(),
    agentContext(),
  );
  expect(answer).toMatchObject({ text: "größe 🦊", usage: { input_tokens: 100, output_tokens: 20 } });
});

test("a tool call that is announced but not sent is the endpoint's trouble, and passes; words beside it count", async () => {
  const answerTo = async (text: string) => {
    const stop = { messages: "tool_use", responses: "", chat: "", gemini: "" };
    const { url } = await openEndpoint((_, response) => says({ text, stop })(response, "messages"));
    const environment = { ANTHROPIC_API_KEY: "sk-real-key", ANTHROPIC_BASE_URL: url };
    return apiAgent({ named: "anthropic/claude-haiku-4-5", environment }).answer(ask(), agentContext());
  };
  await expect(answerTo("")).rejects.toMatchObject({
    fault: "network",
    message: "claude-haiku-4-5 ended its answer in the middle of a call, or with nothing in it",
  });
  expect((await answerTo("Done.")).text).toBe("Done.");
});

test("a stream that begins with an event that no one knows is the endpoint's trouble, and passes", async () => {
  const { url } = await openEndpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end('data: {}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n');
  });
  const environment = {
    PATH: process.env["PATH"],
    ANTHROPIC_API_KEY: "sk-real-key",
    ANTHROPIC_BASE_URL: url,
  };
  const agent = apiAgent({ named: "anthropic/claude-haiku-4-5", environment });
  await expect(agent.answer(ask(), agentContext())).rejects.toMatchObject({ fault: "network" });
});
