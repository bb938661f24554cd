import { StringDecoder } from "node:string_decoder";
import type { Usage } from "../ports/agent.ts";
import { parseJson } from "../ports/parse-json.ts";
import { isCutShort, isRefusal, modelIn, usageIn } from "./parse-usage.ts";

/** Meters one answer of an endpoint as it passes through, in bounded memory. */
export interface Meter {
  push(chunk: Buffer): void;
  /** How many bytes have passed. */
  bytes(): number;
  /** The usage so far. An answer that was cut off counts as far as it got. */
  usage(): Usage | undefined;
  /** The model named by the answer. */
  model(): string | undefined;
  /** True if the answer was cut at its length limit. */
  isCutShort(): boolean;
  /** True if the model refused to answer, or a filter of its provider removed the answer. */
  isRefusal(): boolean;
  /** The error at the end of the stream. */
  error(): unknown;
  /** False if the answer broke off: a stream without its last event, JSON without its end. */
  isWhole(): boolean;
  /** False if a complete body cannot be a model's answer. */
  isAnswer(): boolean;
  /** How far the answer has got; keep-alives and partial events do not count. */
  progress(): number;
}

/** Of a longer event or body, only the end is kept, because it contains the usage. */
const mostText = 4 * 1024 * 1024;
const tailText = 64 * 1024;

/** A meter for a body of this content type. */
export function openMeter(contentType: string): Meter {
  const decoder = new StringDecoder("utf8");
  let form = formOf(contentType);
  let text = "";
  let [bytes, events] = [0, 0];
  let seen: Partial<Usage> | undefined;
  let error: unknown;
  let model: string | undefined;
  let cut = false;
  let [isEnded, isRefused, isLong] = [false, false, false];
  const note = (line: string) => {
    const value = valueIn(line);
    model = modelIn(value) ?? model;
    cut ||= isCutShort(line);
    const reported = usageIn(value);
    if (reported !== undefined) seen = { ...seen, ...reported };
    error = errorIn(value) ?? error;
  };
  const drainLines = () => {
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) read(line);
  };
  const read = (line: string) => {
    isEnded ||= ends.test(line);
    isRefused ||= isEnded && isRefusal(line);
    events += isEvent(line) ? 1 : 0;
    if (isWorthParsing(line)) note(line.slice(line.indexOf(":") + 1));
  };
  return {
    push(chunk) {
      bytes += chunk.length;
      if (form === "unsaid") form = formIn(chunk);
      if (form === "other" || form === "nothing") return;
      text += decoder.write(chunk);
      if (form === "stream" && text.includes("\n", Math.max(0, text.length - chunk.length - 4))) drainLines();
      if (text.length <= mostText) return;
      isLong = true;
      text = text.slice(-tailText);
    },
    bytes: () => bytes,
    usage() {
      if (form === "json") note(text);
      if (form === "stream") read(text);
      return seen && { input_tokens: 0, output_tokens: 0, cost_usd: 0, ...seen };
    },
    model: () => model,
    isCutShort: () => cut,
    isRefusal: () => isRefused || (form === "json" && isRefusal(text)),
    error: () => error,
    isWhole() {
      if (form === "stream") read(text);
      if (form === "json") return isLong || parseJson(text) !== undefined;
      return form !== "stream" || isEnded;
    },
    isAnswer: () => bytes > 0 && (form === "json" ? isLong || isObject(parseJson(text)) : form !== "nothing"),
    progress: () => (form === "stream" ? events : Math.ceil(bytes / bytesOfProgress)),
  };
}

/** `nothing` is text that no model protocol uses. */
type Form = "stream" | "json" | "other" | "unsaid" | "nothing";

const formOf = (contentType: string): Form => {
  if (/\btext\/event-stream\b/i.test(contentType)) return "stream";
  if (/\bjson\b/i.test(contentType)) return "json";
  return isTextual(contentType) ? "unsaid" : "other";
};

/** Some endpoints stream with a text type, or with no type. */
const isTextual = (contentType: string) => contentType.trim() === "" || /^\s*text\//i.test(contentType);

function formIn(chunk: Buffer): Form {
  const start = chunk.toString("utf8", 0, 64).trimStart();
  if (/^(?:data|event|id|retry)?:/.test(start)) return "stream";
  return /^[{[]/.test(start) ? "json" : "nothing";
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** A body that is not a stream makes progress in steps of this many bytes. */
const bytesOfProgress = 1024;

const isEvent = (line: string): boolean => line.startsWith("data:") && !/"type"\s*:\s*"ping"/.test(line);

/** The last event of a stream, in each protocol. Inside generated text the quotes would be escaped. */
const ends =
  /^data:\s*\[DONE\]|"(?:stop_reason|finish_reason|finishReason|blockReason)"\s*:\s*"|"type"\s*:\s*"(?:message_stop|response\.(?:completed|incomplete|failed))"/;

/** Most events of a stream are text deltas, which need no parsing. */
const isWorthParsing = (line: string): boolean =>
  line.startsWith("data:") && usageKeys.some((word) => line.includes(word));

const usageKeys = ['"usage', '"error"', '"length"'];

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return usageAtEnd(text);
  }
}

/** The last usage in a text whose beginning was dropped. */
function usageAtEnd(text: string): unknown {
  const at = Math.max(text.lastIndexOf('"usage"'), text.lastIndexOf('"usageMetadata"'));
  const start = at < 0 ? -1 : text.indexOf("{", at);
  if (start < 0) return undefined;
  const name = text.startsWith('"usageMetadata"', at) ? "usageMetadata" : "usage";
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === "{") depth += 1;
    if (text[index] === "}") depth -= 1;
    if (depth === 0) return parseJson(`{${JSON.stringify(name)}:${text.slice(start, index + 1)}}`);
  }
  return undefined;
}

/**
 * Anthropic: `{type: "error", error}`; OpenAI: `{error}`, `{type: "error", code, message}`, or
 * `{type: "response.failed", response: {error}}`.
 */
function errorIn(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, error, response } = value as {
    readonly type?: unknown;
    readonly error?: unknown;
    readonly response?: { error?: unknown };
  };
  return error ?? response?.error ?? (type === "error" ? value : undefined);
}
