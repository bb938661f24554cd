import {
  type ChatCompletionRequest,
  type ChatMessage,
  type FixtureResponse,
  LLMock,
} from "@copilotkit/aimock";
import { openModelFront, spoiltAnswers } from "./model-front.ts";

/** One answer of the pretended model. */
export type Step =
  | { readonly text: string; readonly tools?: readonly ToolUse[] }
  | { readonly text?: string; readonly tools: readonly ToolUse[] }
  /** As often as told; then the next step is taken. */
  | { readonly error: string; readonly status: number; readonly retryAfter?: number; readonly times?: number }
  /** The answer breaks off in the middle of its stream, as often as told; then the next step is taken. */
  | { readonly breaksOff: string; readonly times: number }
  /** The call breaks off in the middle of its arguments, as often as told; then the next step is taken. */
  | { readonly cutCall: ToolUse; readonly times: number }
  /** A byte at a time it sends an event that never ends, as often as told; then the next step is taken. */
  | { readonly trickles: true; readonly times: number }
  /** Says this, and that it may say no more at once. */
  | { readonly cutShort: string }
  /** The final message is this many bytes long. */
  | { readonly bytes: number }
  /** Says this, a few letters at a time. */
  | { readonly slowly: string }
  /** Never answers, for ever or as often as told. */
  | { readonly hangs: true; readonly times?: number };

export interface ToolUse {
  readonly name: string;
  readonly args: unknown;
}

/** What reached the model in one request. */
export interface Seen {
  readonly messages: readonly ChatMessage[];
  /** All of it, as text to look for words in. */
  readonly text: string;
  /** The names of the tools that the model was shown. */
  readonly tools: readonly string[];
}

export interface ModelServer {
  /** Without a path: for Anthropic and Gemini as it is, for OpenAI with `/v1`. */
  readonly url: string;
  seen(): readonly Seen[];
  /** Resolves when a request has come whose text holds these words. */
  arrival(words: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * A prompt that carries what the model is to do: the first step for it, the next when the agent comes back, and so on.
 * With several scripts, that for the round the prompt names.
 */
export const scripted = (words: string, steps: readonly Step[] | readonly (readonly Step[])[]): string =>
  `${words}\n[[SCRIPT]]${JSON.stringify(steps)}[[/SCRIPT]]`;

/** A model on loopback that speaks as Anthropic, OpenAI and Gemini do, and answers as the prompt says. */
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
    arrival: (words) =>
      new Promise((resolve) => {
        waiting.push({ words, arrived: resolve });
      }),
    async close() {
      closing.resolve({ content: "closed" });
      await front.close();
      await mock.stop();
    },
  };
}

/** What a message may have that is cut off by its length: pi takes a shorter one for a full context. */
const mostOf = (request: ChatCompletionRequest): number =>
  Number(request["max_completion_tokens"] ?? request.max_tokens ?? 20);

/** The step that a request is at: counted by the model's messages since the prompt with the script. */
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
 * What programs put where a request failed or was stopped, and the beginning of an answer that broke off, which Kimi Code
 * keeps, and opencode as an empty message: no answer of a model. Qwen Code keeps it in one message with the next answer.
 */
const placeholder = /^(?:No response requested\.|\[The previous response was interrupted|in vain$|$)/;

/** opencode keeps a call that broke off too, with no arguments: where one is cut, that is no answer. */
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
