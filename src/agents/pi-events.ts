import type { ProviderError } from "../key-proxy/provider-errors.ts";
import { addUsage, type Usage } from "../ports/agent.ts";
import type { CliInvocation, CliProcess, CliResult } from "./cli/cli-definition.ts";
import { objectIn, textIn } from "./cli/fields.ts";
import type { JsonObject } from "./cli/json-lines.ts";
import { createMessageBuffer } from "./cli/message-buffer.ts";

/** Reads the events of one call of pi. */
export function readingOf(turn: CliInvocation): Pick<CliProcess, "read" | "result"> {
  const messages = createMessageBuffer();
  let session: string | undefined;
  let last: JsonObject | undefined;
  let usage: Usage | undefined;
  const readers: Readonly<Record<string, (event: JsonObject) => void>> = {
    session(event) {
      session = textIn(event, "id");
      turn.began(session);
    },
    message_update(event) {
      const update = objectIn(event, "assistantMessageEvent");
      const text = update?.["type"] === "text_delta" ? textIn(update, "delta") : undefined;
      if (text === undefined) return;
      messages.piece(text);
      turn.say(text);
    },
    message_end(event) {
      const message = objectIn(event, "message");
      if (message?.["role"] !== "assistant") return;
      last = message;
      usage = addUsage(usageOf(message), usage);
      const text = textOf(message["content"]);
      if (text !== "" || message["stopReason"] === "stop") messages.whole(text);
    },
    tool_execution_start: (event) => turn.tool(textIn(event, "toolName") ?? "tool", event["args"]),
  };
  return {
    read(event) {
      const type = textIn(event, "type") ?? "";
      if (Object.hasOwn(readers, type)) readers[type]?.(event);
    },
    result: ({ stderr }): CliResult => {
      const stop = last?.["stopReason"];
      const ended = stop === "stop" || stop === "length";
      const trouble = ended ? undefined : troubleOf(last);
      return {
        text: messages.text(),
        ended,
        session,
        usage,
        ...(trouble && { trouble }),
        ...(last === undefined && /no session found/i.test(stderr) ? { lost: true } : {}),
      };
    },
  };
}

function troubleOf(last: JsonObject | undefined): ProviderError | undefined {
  const message = last?.["stopReason"] === "error" ? textIn(last, "errorMessage") : undefined;
  return message === undefined ? undefined : { fault: "crash", message };
}

function usageOf(message: JsonObject): Usage {
  const usage = objectIn(message, "usage");
  const count = (name: string) => Number(usage?.[name] ?? 0);
  const [cache_read, cache_write] = [count("cacheRead"), count("cacheWrite")];
  return {
    input_tokens: count("input") + cache_read + cache_write,
    output_tokens: count("output"),
    cost_usd: 0,
    cache_read,
    cache_write,
  };
}

const textOf = (content: unknown) =>
  Array.isArray(content)
    ? content.map((part: JsonObject) => (part["type"] === "text" ? String(part["text"]) : "")).join("")
    : "";
