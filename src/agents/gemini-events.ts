import { statusFaults } from "../key-proxy/http-status-errors.ts";
import type { ProviderError } from "../key-proxy/provider-errors.ts";
import type { AgentFault, Usage } from "../ports/agent.ts";
import type { ProcessEnd } from "../processes/process.ts";
import type { CliInvocation, CliProcess, CliResult } from "./cli/cli-definition.ts";
import { objectIn, textIn } from "./cli/event-fields.ts";
import { createEventReader } from "./cli/event-reader.ts";
import type { JsonObject } from "./cli/json-lines.ts";

/** Reads the output of one call of Gemini CLI. */
export function eventReader(turn: CliInvocation): Pick<CliProcess, "read" | "result"> {
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
      // Text before a tool call is not the final message.
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

interface ReadEvents {
  readonly text: string;
  readonly last: JsonObject | undefined;
  readonly complaint: string | undefined;
  readonly end: ProcessEnd;
}

function resultOf({ text, last, complaint, end }: ReadEvents): Partial<CliResult> {
  const usage = usageOf(last);
  const stopped = complaint === undefined ? undefined : byComplaint(complaint);
  if (stopped !== undefined) return { trouble: stopped, usage };
  if (last?.["status"] === "success") {
    // It reports success without calling a model if the prompt is too long to send.
    const reachedModel = text.trim() !== "" || usage.input_tokens > 0;
    if (reachedModel) return { ended: true, usage };
    return { trouble: { fault: "empty", message: "it ended without an answer, with exit code 0" } };
  }
  const why = textIn(objectIn(last, "error"), "message") ?? complaint ?? lastLine(end.stderr);
  return { trouble: troubleOf(end, why), ...(usage.input_tokens > 0 ? { usage } : {}) };
}

/** Errors after which it gives up without a distinct exit code. */
function byComplaint(message: string): ProviderError | undefined {
  if (/empty response/i.test(message)) return { fault: "empty", message };
  return /loop detected|turn limit|max.* turns/i.test(message) ? { fault: "max-turns", message } : undefined;
}

/** Classified by the API status in the message; else by the exit code, which is that status modulo 256. */
function troubleOf({ exitCode }: ProcessEnd, why: string | undefined): ProviderError | undefined {
  const message = why ?? "it said nothing about it";
  const status = Number(/"code":\s*(\d{3})\b/.exec(message)?.[1] ?? 0);
  const fault =
    statusFaults[status] ?? byExit[exitCode ?? 0] ?? (exitCode ? statusFaults[exitCode + 256] : undefined);
  if (fault !== undefined) return { fault, message };
  return why !== undefined && exitCode !== 0 ? { fault: "crash", message } : undefined;
}

/** Its own exit codes: no login, bad input, too many turns, an untrusted folder. */
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

/** Drops its stack trace. */
const lastLine = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "" && !line.startsWith("at "));
