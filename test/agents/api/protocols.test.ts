import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiAgent } from "../../../src/agents/api.ts";
import { openEndpoint, streaming } from "../../key-proxy/endpoint.ts";
import { agentContext, ask } from "../agent.contract.ts";
import { onePixel } from "./workshop.ts";

/** Two answers of an endpoint: a call that reads an image, and the end of the turn. */
async function play(answers: readonly (readonly unknown[])[], env: (url: string) => Record<string, string>) {
  let count = 0;
  const { url, asked } = await openEndpoint((one, response) => {
    count += 1;
    return streaming(answers[count - 1] ?? [])(one, response);
  });
  const context = agentContext();
  const tools: unknown[] = [];
  writeFileSync(join(context.workspace, "shot.png"), onePixel);
  const agent = apiAgent({ environment: { PATH: process.env["PATH"], ...env(url) } });
  const settings = { effort: "high" };
  const answer = await agent.answer(ask({ settings }), { ...context, onTool: (call) => tools.push(call) });
  return {
    answer,
    tools,
    asked: asked.map(({ url: at, body }) => ({ at, body: JSON.parse(body), text: body })),
  };
}

test("OpenAI is asked by Responses: nothing is stored, the cache has a key, effort and images go along", async () => {
  const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "read" };
  const done = { ...call, arguments: '{"path":"shot.png"}', status: "completed" };
  const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 20 };
  const created = {
    type: "response.created",
    response: { id: "r1", object: "response", created_at: 1, model: "gpt-6-sol" },
  };
  const completed = { type: "response.completed", response: { ...created.response, usage } };
  const message = { type: "message", id: "m1", role: "assistant" };
  const reply = await play(
    [
      [
        created,
        { type: "response.output_item.added", output_index: 0, item: { ...call, arguments: "" } },
        { type: "response.output_item.done", output_index: 0, item: done },
        completed,
      ],
      [
        created,
        { type: "response.output_item.added", output_index: 0, item: message },
        {
          type: "response.output_text.delta",
          item_id: "m1",
          output_index: 0,
          content_index: 0,
          delta: "Seen.",
        },
        { type: "response.output_item.done", output_index: 0, item: message },
        completed,
      ],
    ],
    (url) => ({
      OPENAI_API_KEY: "sk-openai-real-key",
      OPENAI_BASE_URL: `${url}/v1`,
      UNTIL_GREEN_OPENAI_API: "responses",
    }),
  );
  expect(reply.answer).toMatchObject({
    text: "Seen.",
    usage: { input_tokens: 200, output_tokens: 40, cache_read: 80 },
  });
  expect(reply.tools).toEqual([{ name: "read", about: "shot.png" }]);
  const [first, second] = reply.asked;
  expect(first).toMatchObject({
    at: "/v1/responses",
    body: { store: false, prompt_cache_key: reply.answer.session, reasoning: { effort: "high" } },
  });
  expect(second?.body.prompt_cache_key).toBe(first?.body.prompt_cache_key);
  expect(second?.text).toContain(`data:image/png;base64,${onePixel.toString("base64")}`);
});

test("Gemini is asked in its own protocol, with the key in its own header, and sees images", async () => {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, cachedContentTokenCount: 40 };
  const answer = (part: object) => [
    {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata,
    },
  ];
  const reply = await play(
    [answer({ functionCall: { name: "read", args: { path: "shot.png" } } }), answer({ text: "Seen." })],
    (url) => ({ GEMINI_API_KEY: "gemini-real-key", GOOGLE_GEMINI_BASE_URL: url }),
  );
  expect(reply.answer).toMatchObject({
    text: "Seen.",
    usage: { input_tokens: 200, output_tokens: 40, cache_read: 80 },
  });
  const [first, second] = reply.asked;
  expect(first?.at).toMatch(/^\/v1beta\/models\/gemini-[^/]+:streamGenerateContent/);
  expect(second?.text).toContain(onePixel.toString("base64"));
});
