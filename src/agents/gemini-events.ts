import { statusFaults } from "../key-proxy/http-status-errors.ts";
import type { ProviderError } from "../key-proxy/provider-errors.ts";
import type { AgentFault, Usage } from "../ports/agent.ts";
import type { ProcessEnd } from "../processes/process.ts";
import type { CliInvocation, CliProcess, CliResult } from "./cli/cli-definition.ts";
import { objectIn, textIn } from "./cli/event-fields.ts";
import { createEventReader } from "./cli/event-reader.ts";
import type { JsonObject } from "./cli/json-lines.ts";

/** Reads what Gemini CLI says in one call of it. */
export function readingOf(turn: CliInvocation): Pick<CliProcess, "read" | "result"> {
  let last: JsonObject | undefined;
  let complaint: string | undefined;
  return createEventReader(
    turn,
    {
      init: (event, call) => {
        call.session = textIn(event, "session_id");
      },
      message: (event, call) => {
        if (event["role"] === "assistant") call.piece(textIn(event, "content"));
      },
      error: (event) => {
        complaint = textIn(event, "message") ?? complaint;
      },
      // What came before it was not the final message.
      tool_use: (event, call) => {
        call.finishesMessage();
        call.tool(textIn(event, "tool_name"), event["parameters"]);
      },
      result: (event) => {
        last = event;
      },
    },
    (end, { text }) => resultOf({ text, last, complaint, end }),
  );
}

interface Known {
  readonly text: string;
  readonly last: JsonObject | undefined;
  readonly complaint: string | undefined;
  readonly end: ProcessEnd;
}

function resultOf({ text, last, complaint, end }: Known): Partial<CliResult> {
  const usage = usageOf(last);
  const stopped = complaint === undefined ? undefined : byComplaint(complaint);
  if (stopped !== undefined) return { trouble: stopped, usage };
  if (last?.["status"] === "success") {
    // It reports success without a model call if the prompt is longer than it can send.
    const asked = text.trim() !== "" || usage.input_tokens > 0;
    if (asked) return { ended: true, usage };
    return { trouble: { fault: "empty", message: "it ended well without any answer" } };
  }
  const why = textIn(objectIn(last, "error"), "message") ?? complaint ?? lastLine(end.stderr);
  return { trouble: troubleOf(end, why), ...(usage.input_tokens > 0 ? { usage } : {}) };
}

/** It gives up on these without an exit code for them. */
function byComplaint(message: string): ProviderError | undefined {
  if (/empty response/i.test(message)) return { fault: "empty", message };
  return /loop detected|turn limit|max.* turns/i.test(message) ? { fault: "max-turns", message } : undefined;
}

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
