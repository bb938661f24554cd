import { jsonIn, objectIn, textIn } from "./event-fields.ts";
import type { JsonObject } from "./json-lines.ts";

/** A model's message in the form of the APIs, which programs pass on. */
export interface ModelMessage {
  readonly text: string;
  readonly calls: readonly { readonly name: string | undefined; readonly input: unknown }[];
}

/** Reads the form of Anthropic's messages: `content` has parts. */
export function messageOfParts(message: JsonObject | undefined): ModelMessage {
  const content = message?.["content"];
  const parts: readonly JsonObject[] = Array.isArray(content) ? content : [];
  const of = (type: string) => parts.filter((part) => part["type"] === type);
  return {
    text: of("text")
      .map((part) => textIn(part, "text") ?? "")
      .join(""),
    calls: of("tool_use").map((part) => ({ name: textIn(part, "name"), input: part["input"] })),
  };
}

/** Reads the form of OpenAI's chat completions: `content` is text, and `tool_calls` is separate. */
export function chatMessage(message: JsonObject): ModelMessage {
  const calls = message["tool_calls"];
  const called = (Array.isArray(calls) ? calls : []).map((call: JsonObject) => objectIn(call, "function"));
  return {
    text: textIn(message, "content") ?? "",
    calls: called.map((it) => ({ name: textIn(it, "name"), input: jsonIn(it, "arguments") })),
  };
}
