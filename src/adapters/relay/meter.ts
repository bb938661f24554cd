import { StringDecoder } from "node:string_decoder";
import type { Usage } from "../../ports/agent.ts";
import { usageIn } from "./usage.ts";

/** Reads along in one answer of an endpoint, in bounded memory. */
export interface Meter {
  push(chunk: Buffer): void;
  /** What was counted by now: an answer that was cut off counts as far as it came. */
  usage(): Usage | undefined;
  /** The error that a stream ended with. */
  error(): unknown;
}

/** A longer event, or body, is read from its end only: that is where usage stands. */
const mostText = 4 * 1024 * 1024;
const tailText = 64 * 1024;

/** A meter for a body of this content type. */
export function openMeter(contentType: string): Meter {
  const decoder = new StringDecoder("utf8");
  const isStream = /\btext\/event-stream\b/i.test(contentType);
  const isRead = isStream || /\bjson\b/i.test(contentType);
  let text = "";
  let seen: Partial<Usage> | undefined;
  let error: unknown;
  const note = (line: string) => {
    const value = valueIn(line);
    const found = usageIn(value);
    if (found !== undefined) seen = { ...seen, ...found };
    error = errorIn(value) ?? error;
  };
  const drainLines = () => {
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) if (isTelling(line)) note(line.slice(line.indexOf(":") + 1));
  };
  return {
    push(chunk) {
      if (!isRead) return;
      text += decoder.write(chunk);
      if (isStream && text.includes("\n", Math.max(0, text.length - chunk.length - 4))) drainLines();
      if (text.length > mostText) text = text.slice(-tailText);
    },
    usage() {
      if (!isStream && text !== "") note(text);
      if (isStream && isTelling(text)) note(text.slice(text.indexOf(":") + 1));
      return seen && { input_tokens: 0, output_tokens: 0, cost_usd: 0, ...seen };
    },
    error: () => error,
  };
}

/** Most events of a stream are words: those are not parsed. */
const isTelling = (line: string): boolean =>
  line.startsWith("data:") && (line.includes('"usage') || line.includes('"error"'));

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return usageAtEnd(text);
  }
}

/** The last usage in a text whose beginning is lost. */
function usageAtEnd(text: string): unknown {
  const at = Math.max(text.lastIndexOf('"usage"'), text.lastIndexOf('"usageMetadata"'));
  const start = at < 0 ? -1 : text.indexOf("{", at);
  if (start < 0) return undefined;
  const name = text.startsWith('"usageMetadata"', at) ? "usageMetadata" : "usage";
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === "{") depth += 1;
    if (text[index] === "}") depth -= 1;
    if (depth === 0) return parsed(`{${JSON.stringify(name)}:${text.slice(start, index + 1)}}`);
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Anthropic: `{type: "error", error}`; OpenAI: `{error}`, or `{type: "response.failed", response: {error}}`. */
function errorIn(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const { error, response } = value as { readonly error?: unknown; readonly response?: { error?: unknown } };
  return error ?? response?.error ?? undefined;
}
