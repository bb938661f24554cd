import { statusFaults } from "../key-proxy/http-status-errors.ts";
import type { ProviderError } from "../key-proxy/provider-errors.ts";
import type { AgentFault, Usage } from "../ports/agent.ts";
import type { ProcessEnd } from "../processes/process.ts";
import type { CliInvocation, CliProcess, CliResult } from "./cli/cli-definition.ts";
import { objectIn, textIn } from "./cli/fields.ts";
import type { JsonObject } from "./cli/json-lines.ts";
import { createMessageBuffer } from "./cli/message-buffer.ts";

/** Reads what Gemini CLI says in one call of it. */
export function readingOf(turn: CliInvocation): Pick<CliProcess, "read" | "result"> {
  const messages = createMessageBuffer();
  let session: string | undefined;
  let last: JsonObject | undefined;
  let complaint: string | undefined;
  const readers: Readonly<Record<string, (event: JsonObject) => void>> = {
    init: (event) => {
      session = textIn(event, "session_id");
    },
    message(event) {
      const text = textIn(event, "content");
      if (event["role"] !== "assistant" || text === undefined) return;
      messages.piece(text);
      turn.say(text);
    },
    error: (event) => {
      complaint = textIn(event, "message") ?? complaint;
    },
    // What came before it was not the final message.
    tool_use(event) {
      messages.whole(messages.text());
      turn.tool(textIn(event, "tool_name") ?? "tool", event["parameters"]);
    },
    result: (event) => {
      last = event;
    },
  };
  return {
    read(event) {
      const type = textIn(event, "type") ?? "";
      if (Object.hasOwn(readers, type)) readers[type]?.(event);
    },
    result: (end) => ({ session, ...resultOf({ text: messages.text(), last, complaint, end }) }),
  };
}

interface Known {
  readonly text: string;
  readonly last: JsonObject | undefined;
  readonly complaint: string | undefined;
  readonly end: ProcessEnd;
}

function resultOf({ text, last, complaint, end }: Known): CliResult {
  const usage = usageOf(last);
  const stopped = complaint === undefined ? undefined : byComplaint(complaint);
  if (last?.["status"] === "success" && stopped === undefined) {
    // It reports success without a model call if the prompt is longer than it can send.
    const asked = text.trim() !== "" || usage.input_tokens > 0;
    if (asked) return { text, ended: true, usage };
    return { text, ended: false, trouble: { fault: "empty", message: "it ended well without any answer" } };
  }
  if (stopped !== undefined) return { text, ended: false, trouble: stopped, usage };
  const why = textIn(objectIn(last, "error"), "message") ?? complaint ?? lastLine(end.stderr);
  if (lostSession.test(end.stderr) && last === undefined) return { text, ended: false, lost: true };
  const trouble = troubleOf(end, why);
  return {
    text,
    ended: false,
    ...(trouble === undefined ? {} : { trouble }),
    ...(usage.input_tokens > 0 ? { usage } : {}),
  };
}

/** It gives up on these without an exit code for them. */
function byComplaint(message: string): ProviderError | undefined {
  if (/empty response/i.test(message)) return { fault: "empty", message };
  return /loop detected|turn limit|max.* turns/i.test(message) ? { fault: "max-turns", message } : undefined;
}

const lostSession = /Error resuming session|No previous sessions found|Invalid session identifier/i;

/** By the status in the message, which it passes on from the API; else by how it exited, which is that status modulo 256. */
function troubleOf({ exitCode }: ProcessEnd, why: string | undefined): ProviderError | undefined {
  const message = why ?? "it said nothing about it";
  const status = Number(/"code":\s*(\d{3})\b/.exec(message)?.[1] ?? 0);
  const fault =
    statusFaults[status] ?? byExit[exitCode ?? 0] ?? (exitCode ? statusFaults[exitCode + 256] : undefined);
  if (fault !== undefined) return { fault, message };
  return why !== undefined && exitCode !== 0 ? { fault: "crash", message } : undefined;
}

/** Its own: no way to log in, bad input, too many turns, a folder it does not trust. */
const byExit: Readonly<Record<number, AgentFault>> = {
  41: "auth",
  42: "refused",
  53: "max-turns",
  55: "refused",
};

function usageOf(last: JsonObject | undefined): Usage {
  const stats = objectIn(last, "stats");
  return {
    input_tokens: Number(stats?.["input_tokens"] ?? 0),
    output_tokens: Number(stats?.["output_tokens"] ?? 0),
    cost_usd: 0,
  };
}

/** Where in its code that was is for its makers. */
const lastLine = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "" && !line.startsWith("at "));
