import {
  type ChatCompletionRequest,
  type ChatMessage,
  type FixtureResponse,
  LLMock,
} from "@copilotkit/aimock";
import { openModelFront, spoiltAnswers } from "./model-front.ts";

/** One response of the fake model. */
export type Step =
  | { readonly text: string; readonly tools?: readonly ToolUse[] }
  | { readonly text?: string; readonly tools: readonly ToolUse[] }
  /** Repeated this often; then the next step follows. */
  | { readonly error: string; readonly status: number; readonly retryAfter?: number; readonly times?: number }
  /** The stream breaks off in the middle, this often; then the next step follows. */
  | { readonly breaksOff: string; readonly times: number }
  /** The call breaks off in the middle of its arguments, this often; then the next step follows. */
  | { readonly cutCall: ToolUse; readonly times: number }
  /** Sends an endless event byte by byte, this often; then the next step follows. */
  | { readonly trickles: true; readonly times: number }
  /** Returns this text, truncated at the maximum length. */
  | { readonly cutShort: string }
  /** The final message is this many bytes long. */
  | { readonly bytes: number }
  /** Streams this text in small chunks. */
  | { readonly slowly: string }
  /** Never responds; always, or this often. */
  | { readonly hangs: true; readonly times?: number };

export interface ToolUse {
  readonly name: string;
  readonly args: unknown;
}

/** One received request. */
export interface Seen {
  readonly messages: readonly ChatMessage[];
  /** The whole request as text, for searching. */
  readonly text: string;
  /** The names of the offered tools. */
  readonly tools: readonly string[];
}

export interface ModelServer {
  /** The base URL: as it is for Anthropic and Gemini, with `/v1` for OpenAI. */
  readonly url: string;
  seen(): readonly Seen[];
  /** Resolves when a request that contains these words has arrived. */
  arrival(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * A prompt that contains a script for the model: its first step answers the prompt, the next one the agent's next
 * request, and so on. With several scripts, the iteration named in the prompt selects one.
 */
export const scripted = (text: string, steps: readonly Step[] | readonly (readonly Step[])[]): string =>
  `${text}\n[[SCRIPT]]${JSON.stringify(steps)}[[/SCRIPT]]`;

/** A fake model on loopback with the APIs of Anthropic, OpenAI and Gemini, which answers as the prompt says. */
export async function openModelServer(): Promise<ModelServer> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
  const failures = new Map<string, number>();
  const closing = Promise.withResolvers<FixtureResponse>();
  const waiting: { readonly words: string; readonly arrived: () => void }[] = [];
  const seen: Seen[] = [];
  const note = ({ messages, tools = [] }: ChatCompletionRequest) => {
    const text = messages.map(({ content }) => textOf(content)).join("\n");
    seen.push({ messages, text, tools: tools.map((tool) => tool.function?.name ?? "") });
    for (const one of waiting) if (text.includes(one.words)) one.arrived();
  };
  const isSlow = (request: ChatCompletionRequest) => "slowly" in stepFor(request, failures);
  const usage = { input_tokens: 100, output_tokens: 20, prompt_tokens: 100, completion_tokens: 20 };
  mock.on(
    { predicate: isSlow },
    (request) => {
      note(request);
      const step = stepFor(request, failures);
      return { content: "slowly" in step ? step.slowly : "", usage };
    },
    { latency: 100, chunkSize: 4 },
  );
  const breaksOff = (request: ChatCompletionRequest) => "breaksOff" in stepFor(request, failures);
  mock.on(
    { predicate: breaksOff },
    (request) => {
      note(request);
      const step = stepFor(request, failures, { counts: true });
      return { content: "breaksOff" in step ? step.breaksOff : "", usage };
    },
    { truncateAfterChunks: 2, chunkSize: 4 },
  );
  const spoils = (request: ChatCompletionRequest) => isSpoilt(stepFor(request, failures));
  mock.on(
    { predicate: spoils },
    (request) => {
      note(request);
      const step = stepFor(request, failures, { counts: true });
      const { cutCall } = step as { readonly cutCall?: ToolUse };
      const response = responseFor(
        cutCall === undefined
          ? { text: spoiltAnswers.trickles }
          : { text: spoiltAnswers.cut, tools: [cutCall] },
      );
      return { ...response, usage } as FixtureResponse;
    },
    { chunkSize: 8 },
  );
  const isLong = (request: ChatCompletionRequest) => "bytes" in stepFor(request, failures);
  mock.on(
    { predicate: isLong },
    (request) => {
      note(request);
      return { ...responseFor(stepFor(request, failures)), usage } as FixtureResponse;
    },
    { chunkSize: 1_000_000 },
  );
  mock.on(
    { predicate: (request) => ![isSlow, isLong, breaksOff, spoils].some((is) => is(request)) },
    (request) => {
      note(request);
      const step = stepFor(request, failures, { counts: true });
      if ("hangs" in step) return closing.promise;
      const took = "cutShort" in step ? { ...usage, completion_tokens: mostOf(request) } : usage;
      return { ...responseFor(step), usage: took } as FixtureResponse;
    },
  );
  await mock.start();
  const front = await openModelFront(mock.url);
  return {
    url: front.url,
    seen: () => seen,
    arrival: (text) =>
      new Promise((resolve) => {
        waiting.push({ words: text, arrived: resolve });
      }),
    async close() {
      closing.resolve({ content: "closed" });
      await front.close();
      await mock.stop();
    },
  };
}

/** Minimum length of a truncated message: pi takes a shorter one for a full context. */
const mostOf = (request: ChatCompletionRequest): number =>
  Number(request["max_completion_tokens"] ?? request.max_tokens ?? 20);

/** The step of a request: the number of model messages since the prompt with the script. */
function stepFor(
  { messages }: ChatCompletionRequest,
  failures: Map<string, number>,
  { counts = false } = {},
): Step {
  const at = messages.findLastIndex(({ role, content }) => role === "user" && script.test(textOf(content)));
  if (at < 0) return { text: "there is no script" };
  const source = [...textOf(messages[at]?.content).matchAll(new RegExp(script, "g"))].at(-1)?.[1] ?? "[]";
  const steps = stepsIn(source, textOf(messages[at]?.content));
  const isAnswer = steps.some((step) => "cutCall" in step) ? isWhole : () => true;
  const answered = messages
    .slice(at + 1)
    .filter(
      ({ role, content, tool_calls: calls = [] }) =>
        role === "assistant" && (calls.some(isAnswer) || !placeholder.test(textOf(content))),
    ).length;
  const failed = failures.get(source) ?? 0;
  let passed = 0;
  for (const [index, step] of steps.entries()) {
    if (!isFault(step)) {
      if (index - passed >= answered) return step;
      continue;
    }
    passed += 1;
    const before = steps.slice(0, index).reduce((sum, one) => sum + timesOf(one), 0);
    if (failed >= before + timesOf(step)) continue;
    if (counts) failures.set(source, failed + 1);
    return step;
  }
  return steps.at(-1) ?? { text: "the script is empty" };
}

function stepsIn(source: string, prompt: string): readonly Step[] {
  const steps = JSON.parse(source) as Step[] | Step[][];
  const [first] = steps;
  if (!Array.isArray(first)) return steps as Step[];
  return (steps as Step[][])[Number(/Round (\d+)/.exec(prompt)?.[1] ?? 1) - 1] ?? [];
}

/**
 * Messages that programs store for a failed or aborted request, and the start of a response that broke off (Kimi Code
 * keeps it, opencode as an empty message): these are no model responses. Qwen Code merges it with the next response.
 */
const placeholder = /^(?:No response requested\.|\[The previous response was interrupted|in vain$|$)/;

/** opencode also keeps a call that broke off, without arguments: that is no response. */
function isWhole({ function: called }: { readonly function: { readonly arguments: string } }): boolean {
  try {
    return Object.keys(JSON.parse(called.arguments)).length > 0;
  } catch {
    return false;
  }
}

const script = /\[\[SCRIPT\]\]([\s\S]*?)\[\[\/SCRIPT\]\]/;
const isSpoilt = (step: Step) => "cutCall" in step || "trickles" in step;
const isFault = (step: Step) => "error" in step || "breaksOff" in step || "hangs" in step || isSpoilt(step);
const timesOf = (step: Step) =>
  isFault(step) ? ((step as { readonly times?: number }).times ?? Number.POSITIVE_INFINITY) : 0;

function responseFor(step: Step): Record<string, unknown> {
  if ("error" in step) {
    const { error, status, retryAfter } = step;
    return {
      error: { message: error, type: errorTypes[status] },
      status,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    };
  }
  if ("bytes" in step) return { content: `head${"line of text\n".repeat(step.bytes / 13)}tail` };
  if ("cutShort" in step) return { content: step.cutShort, finishReason: "length" };
  if ("slowly" in step || "hangs" in step || "breaksOff" in step || isSpoilt(step)) return {};
  const { text, tools = [] } = step;
  const toolCalls = tools.map(({ name, args }) => ({ name, arguments: JSON.stringify(args) }));
  return { ...(text === undefined ? {} : { content: text }), ...(tools.length === 0 ? {} : { toolCalls }) };
}

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join("\n");
}
