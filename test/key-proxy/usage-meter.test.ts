import { describe, expect, test } from "vitest";
import { isCutShort, modelIn, usageIn } from "../../src/key-proxy/parse-usage.ts";
import { openMeter } from "../../src/key-proxy/usage-meter.ts";

/** What a meter knows after an answer of this type, in these chunks. */
function metered(contentType: string, ...chunks: readonly string[]) {
  const meter = openMeter(contentType);
  for (const chunk of chunks) meter.push(Buffer.from(chunk));
  // Before anything else is asked: the result must not depend on the order of the questions.
  const [isWhole, isAnswer] = [meter.isWhole(), meter.isAnswer()];
  return { isWhole, isAnswer, usage: meter.usage(), model: meter.model(), progress: meter.progress() };
}

const usage = { input_tokens: 3, output_tokens: 4, cost_usd: 0 };
const body = { model: "m", usage: { input_tokens: 3, output_tokens: 4 } };
const whole = { isWhole: true, isAnswer: true, usage, model: "m" };

describe("a body of JSON", () => {
  test.each([
    ["on one line", [JSON.stringify(body)]],
    ["on many lines", [`${JSON.stringify(body, undefined, 2)}\n`]],
    ["in chunks", [JSON.stringify(body).slice(0, 9), JSON.stringify(body).slice(9)]],
  ])("is counted %s", (_, chunks) => {
    expect(metered("application/json", ...chunks)).toMatchObject(whole);
    expect(metered("text/plain; charset=utf-8", ...chunks)).toMatchObject(whole);
  });

  test("without its end is not whole, and counts its last usage", () => {
    const text = `{"usage":{"input_tokens":9},${JSON.stringify(body).slice(1, -1)}`;
    expect(metered("application/json", text)).toMatchObject({ isWhole: false, isAnswer: false, usage });
    expect(metered("application/json", '{"usageMetadata": {"promptTokenCount": 3}, "x').usage).toEqual({
      input_tokens: 3,
      output_tokens: 0,
      cost_usd: 0,
    });
    expect(metered("application/json", '{"usage": {"a": {"b": 1}').usage).toBeUndefined();
  });

  test("makes progress by the kilobyte", () => {
    expect(metered("application/json", "").progress).toBe(0);
    expect(metered("application/json", "x".repeat(1_024)).progress).toBe(1);
    expect(metered("application/json", "x".repeat(1_025)).progress).toBe(2);
  });
});

describe("a stream", () => {
  const event = `data: ${JSON.stringify(body)}\n`;

  test.each([
    "data: [DONE]",
    'data: {"type": "message_stop"}',
    'data: {"type" : "response.completed"}',
    'data: {"type":"response.incomplete"}',
    'data: {"type":"response.failed"}',
    'data: {"delta":{"stop_reason": "end_turn"}}',
    'data: {"choices":[{"finish_reason" : "stop"}]}',
    'data: {"candidates":[{"finishReason":"STOP"}]}',
    'data: {"promptFeedback":{"blockReason":"SAFETY"}}',
  ])("is whole with %s, also without a line feed", (last) => {
    expect(metered("text/event-stream", event, last)).toMatchObject(whole);
    expect(metered("text/event-stream", event, `${last}\n\n`)).toMatchObject(whole);
  });

  test.each([
    ": data: [DONE]",
    'data: {"type":"ping"}',
    'data: {"delta":{"stop_reason":null}}',
    'data: {"text":"\\"stop_reason\\":\\"end_turn\\""}',
  ])("is not whole with %s", (last) => {
    expect(metered("text/event-stream", event, last)).toMatchObject({ isWhole: false, usage });
  });

  test("makes progress with each event, not with pings, comments and parts of events", () => {
    const lines = [event, 'data: {"type": "ping"}\n', ": alive\n", "event: x\n", "\n"];
    expect(metered("text/event-stream", ...lines, ...lines).progress).toBe(2);
    const meter = openMeter("text/event-stream");
    for (const piece of ["da", "ta: {", "}", "\n", "\n"]) {
      meter.push(Buffer.from(piece));
    }
    expect(meter.progress()).toBe(1);
  });

  test("is counted if its characters and lines are cut anywhere", () => {
    const bytes = Buffer.from(
      `data: ${JSON.stringify({ text: "größer 😀", ...body })}\r\n\r\ndata: [DONE]\n`,
    );
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const meter = openMeter("text/event-stream");
      meter.push(bytes.subarray(0, cut));
      meter.push(bytes.subarray(cut));
      expect([meter.usage(), meter.isWhole()], `${cut}`).toEqual([usage, true]);
    }
  });
});

test.each([
  ["", " data: {}\n", true],
  ["text/plain", "event: x\ndata: {}\n", true],
  ["text/plain", "id: 1\ndata: {}\n", true],
  ["text/plain", "retry: 1\ndata: {}\n", true],
  ["text/plain", ": alive\ndata: {}\n", true],
  ["text/plain", "[{}]", true],
  ["text/plain", "a list: [1]", false],
  ["text/plain", "the data: none", false],
  ["application/octet-stream", "anything", true],
  ["application/json", "", false],
])("of the type %j, %j may be a model's answer: %s", (type, text, expected) => {
  expect(metered(type, text).isAnswer).toBe(expected);
});

describe("usage", () => {
  const of = (fields: string) => usageIn(JSON.parse(`{"usage": ${fields}}`));

  test.each([
    ['{"input_tokens": -5, "cache_read_input_tokens": 10}', { input_tokens: 10, cache_read: 10 }],
    ['{"input_tokens": 1e999, "output_tokens": 2}', { input_tokens: 0, output_tokens: 2 }],
    ['{"input_tokens": "7", "output_tokens": 2}', { output_tokens: 2 }],
    ['{"output_tokens": null}', { output_tokens: 0 }],
    ['{"cache_creation_input_tokens": 6}', { input_tokens: 6, cache_write: 6 }],
    ['{"prompt_tokens": 5}', { input_tokens: 5, output_tokens: 0 }],
    ['{"completion_tokens": 5}', { input_tokens: 0, output_tokens: 5 }],
    ['{"completion_tokens": 5, "cost": 0}', { input_tokens: 0, output_tokens: 5, cost_usd: 0 }],
    ['{"completion_tokens": 5, "cost": "1"}', { input_tokens: 0, output_tokens: 5 }],
    ["{}", {}],
    ["null", undefined],
    ['"prompt_tokens"', undefined],
    ["5", undefined],
  ])("%s is counted as %j", (fields, expected) => {
    expect(of(fields)).toEqual(expected);
  });

  test("of Gemini counts what tools and thoughts took", () => {
    const usageMetadata = {
      ...{ promptTokenCount: 1, toolUsePromptTokenCount: 2, candidatesTokenCount: 4 },
      ...{ thoughtsTokenCount: 8, cachedContentTokenCount: 1 },
    };
    const counted = { input_tokens: 3, output_tokens: 12, cache_read: 1 };
    expect(usageIn({ usageMetadata })).toEqual(counted);
    expect(usageIn([{}, { usageMetadata }, { x: 1 }])).toEqual(counted);
    expect(usageIn([{ usage: { input_tokens: 1 } }])).toBeUndefined();
  });

  test.each([
    [{ model: "a", message: { model: "b" } }, "a"],
    [{ modelVersion: "a" }, "a"],
    [{ message: { model: "b" } }, "b"],
    [{ response: { model: "c" } }, "c"],
    [{ model: 5 }, undefined],
    [null, undefined],
    ["text", undefined],
  ])("%j names the model %s", (value, model) => {
    expect(modelIn(value)).toBe(model);
  });
});

test.each([
  ['"stop_reason" : "max_tokens"', true],
  ['"finish_reason":"length"', true],
  ['"finishReason":  "MAX_TOKENS"', true],
  ['"incomplete_details":{"reason": "max_output_tokens"}', true],
  ['"stop_reason":"end_turn"', false],
  ['"stop_reason":"max_tokens_2"', false],
  ['"x_reason":"length"', false],
])("an answer that holds %s is cut short: %s", (text, expected) => {
  expect(isCutShort(`{${text}}`)).toBe(expected);
});
