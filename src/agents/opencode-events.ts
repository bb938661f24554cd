import { statusFaults } from "../key-proxy/http-status-errors.ts";
import type { ProviderError } from "../key-proxy/provider-errors.ts";
import type { Usage } from "../ports/agent.ts";
import type { ProcessEnd } from "../processes/process.ts";
import type { CliInvocation, CliProcess, CliResult } from "./cli/cli-definition.ts";
import { objectIn, textIn } from "./cli/event-fields.ts";
import { createEventReader, failureIn } from "./cli/event-reader.ts";
import type { JsonObject } from "./cli/json-lines.ts";

/** Reads the output of one call of opencode. There is no final event, so the last step must be one that stopped. */
export function eventReader(turn: CliInvocation): Pick<CliProcess, "read" | "result"> {
  let stopped = false;
  return createEventReader(
    turn,
    {
      step_start(event, call) {
        call.began(textIn(event, "sessionID"));
        stopped = false;
      },
      text(event, call) {
        call.began(textIn(event, "sessionID"));
        const text = textIn(objectIn(event, "part"), "text");
        if (text === undefined) return;
        call.whole(text);
        turn.say(`${text}\n`);
      },
      tool_use(event, call) {
        const part = objectIn(event, "part");
        call.tool(textIn(part, "tool"), objectIn(part, "state")?.["input"]);
      },
      step_finish(event, call) {
        const part = objectIn(event, "part");
        stopped = textIn(part, "reason") !== "tool-calls";
        call.usage = sum(call.usage, part);
      },
      error(event, call) {
        call.began(textIn(event, "sessionID"));
        call.trouble = troubleOf(objectIn(event, "error"));
      },
    },
    (end, { session, trouble }) => ({
      ended: stopped && trouble === undefined && end.exitCode === 0,
      ...(trouble === undefined && session === undefined && end.exitCode !== 0 ? unstarted(end) : {}),
    }),
  );
}

/** Some refusals are plain text before any event. */
function unstarted(end: ProcessEnd): Partial<CliResult> {
  const { trouble } = failureIn(end, /Error: ?(.*)/);
  if (trouble === undefined || !/model ?not ?found/i.test(end.stderr)) return { trouble };
  return { trouble: { ...trouble, fault: "refused" } };
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
  const total = (...counts: readonly unknown[]) =>
    counts.reduce<number>((all, count) => all + Number(count ?? 0), 0);
  return {
    input_tokens: total(before?.input_tokens, tokens?.["input"], cache?.["read"], cache?.["write"]),
    output_tokens: total(before?.output_tokens, tokens?.["output"], tokens?.["reasoning"]),
    cost_usd: total(before?.cost_usd, part?.["cost"]),
  };
}
