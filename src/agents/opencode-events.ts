import { statusFaults } from "../key-proxy/http-status-errors.ts";
import type { ProviderError } from "../key-proxy/provider-errors.ts";
import type { AgentFault, Usage } from "../ports/agent.ts";
import type { ProcessEnd } from "../processes/process.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { objectIn, textIn } from "./cli/fields.ts";
import type { JsonObject } from "./cli/json-lines.ts";
import { createMessageBuffer } from "./cli/message-buffer.ts";

/** Reads what opencode says in one call of it: there is no last event, so the last step has to be one that stopped. */
export function readingOf(turn: CliInvocation): Pick<CliProcess, "read" | "result"> {
  const messages = createMessageBuffer();
  let session: string | undefined;
  let trouble: ProviderError | undefined;
  let stopped = false;
  let usage: Usage | undefined;
  const readers: Readonly<Record<string, (event: JsonObject) => void>> = {
    step_start: () => {
      stopped = false;
    },
    text(event) {
      const text = textIn(objectIn(event, "part"), "text");
      if (text === undefined) return;
      messages.whole(text);
      turn.say(`${text}\n`);
    },
    tool_use(event) {
      const part = objectIn(event, "part");
      turn.tool(textIn(part, "tool") ?? "tool", objectIn(part, "state")?.["input"]);
    },
    step_finish(event) {
      const part = objectIn(event, "part");
      stopped = textIn(part, "reason") !== "tool-calls";
      usage = sum(usage, part);
    },
    error: (event) => {
      trouble = troubleOf(objectIn(event, "error"));
    },
  };
  return {
    read(event) {
      const known = textIn(event, "sessionID") ?? session;
      if (known !== session) turn.began(known);
      session = known;
      const type = textIn(event, "type") ?? "";
      if (Object.hasOwn(readers, type)) readers[type]?.(event);
    },
    result: (end) => ({
      text: messages.text(),
      session,
      usage,
      ended: stopped && trouble === undefined && end.exitCode === 0,
      ...unstarted(end, { session, trouble }),
    }),
  };
}

interface Known {
  readonly session: string | undefined;
  readonly trouble: ProviderError | undefined;
}

/** Some refusals are plain text before any event. */
function unstarted({ stderr, exitCode }: ProcessEnd, { session, trouble }: Known) {
  if (trouble !== undefined) return { trouble };
  if (session === undefined && /session not found/i.test(stderr)) return { lost: true };
  const message = /Error: ?(.*)/.exec(stderr)?.[1]?.trim();
  if (session !== undefined || exitCode === 0 || message === undefined) return {};
  const fault: AgentFault = /model ?not ?found/i.test(stderr) ? "refused" : "crash";
  return { trouble: { fault, message } };
}

function troubleOf(error: JsonObject | undefined): ProviderError {
  const data = objectIn(error, "data");
  const name = textIn(error, "name") ?? "";
  const message = textIn(data, "message") ?? (name || "it reported an error without a message");
  if (name === "ContextOverflowError") return { fault: "context", message };
  if (name === "ProviderAuthError") return { fault: "auth", message };
  if (/insufficient_quota|credit balance|quota exceeded/i.test(`${message}${textIn(data, "responseBody")}`))
    return { fault: "credit", message };
  const fault = statusFaults[Number(data?.["statusCode"])];
  return { fault: fault ?? (data?.["isRetryable"] === true ? "network" : "crash"), message };
}

function sum(before: Usage | undefined, part: JsonObject | undefined): Usage {
  const tokens = objectIn(part, "tokens");
  const cache = objectIn(tokens, "cache");
  const count = (value: unknown) => Number(value ?? 0);
  return {
    input_tokens:
      (before?.input_tokens ?? 0) +
      count(tokens?.["input"]) +
      count(cache?.["read"]) +
      count(cache?.["write"]),
    output_tokens: (before?.output_tokens ?? 0) + count(tokens?.["output"]) + count(tokens?.["reasoning"]),
    cost_usd: (before?.cost_usd ?? 0) + count(part?.["cost"]),
  };
}
