import { z } from "zod";
import { statusFaults } from "../key-proxy/http-status-errors.ts";
import type { ProviderError } from "../key-proxy/provider-errors.ts";
import type { AgentFault, Usage } from "../ports/agent.ts";
import type { ProcessEnd } from "../processes/process.ts";
import { readRegularFile } from "../processes/regular-file.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { objectIn, textIn } from "./cli/event-fields.ts";
import { createEventReader } from "./cli/event-reader.ts";
import type { JsonObject } from "./cli/json-lines.ts";

/** Reads the output of one call of Copilot CLI; token counts are in a file that it writes. */
export function eventReader(turn: CliInvocation, usageFile: string): Pick<CliProcess, "read" | "result"> {
  let last: JsonObject | undefined;
  return createEventReader(
    turn,
    {
      "assistant.message_delta"(event, call) {
        const data = objectIn(event, "data");
        if (!isInner(data)) call.piece(textIn(data, "deltaContent"));
      },
      "assistant.message"(event, call) {
        const data = objectIn(event, "data");
        const text = textIn(data, "content") ?? "";
        if (text !== "" && !isInner(data)) call.whole(text);
      },
      "tool.execution_start"(event, call) {
        const data = objectIn(event, "data");
        if (!isInner(data)) call.tool(textIn(data, "toolName"), data?.["arguments"]);
      },
      "model.call_failure": (event) => stopWhereHopeless(objectIn(event, "data"), turn),
      "session.error"(event, call) {
        call.trouble = troubleOf(objectIn(event, "data"));
      },
      result(event, call) {
        last = event;
        call.session = textIn(event, "sessionId");
      },
    },
    (end, { trouble }) => {
      const usage = readUsage(usageFile);
      const usageField = usage === undefined ? {} : { usage };
      if (last?.["exitCode"] === 0 && trouble === undefined) return { ...usageField, ended: true };
      return { ...usageField, trouble: trouble ?? unstarted(end) };
    },
  );
}

/** True for an event of a subagent. */
const isInner = (data: JsonObject | undefined) => typeof data?.["parentToolCallId"] === "string";

/** It would retry even if the key is refused. */
function stopWhereHopeless(data: JsonObject | undefined, { giveUp }: CliInvocation): void {
  const status = Number(data?.["statusCode"]);
  const fault = statusFaults[status];
  if (fault === "auth" || fault === "credit")
    giveUp({ fault, message: `the model's API answered ${status}` });
}

/** Some refusals are plain text before any event. */
function unstarted({ stderr }: ProcessEnd): ProviderError | undefined {
  const lines = stderr.split("\n").map((line) => line.trim());
  const saying = (pattern: RegExp) => lines.find((line) => pattern.test(line));
  const auth = saying(/no authentication|not (logged|signed) in|authenticat/i);
  if (auth !== undefined) return { fault: "auth", message: auth };
  const refused = saying(/no model|model .*required/i);
  return refused === undefined ? undefined : { fault: "refused", message: refused };
}

function troubleOf(data: JsonObject | undefined): ProviderError {
  const message = textIn(data, "message") ?? "it reported an error without a message";
  if (/prompt (is|as) too long|prompt budget|context (length|window)/i.test(message))
    return { fault: "context", message };
  if (/no response was returned/i.test(message)) return { fault: "empty", message };
  const fault =
    byWord[textIn(data, "errorType") ?? ""] ?? statusFaults[Number(data?.["statusCode"])] ?? "crash";
  return { fault, message };
}

const byWord: Readonly<Record<string, AgentFault>> = {
  authentication: "auth",
  authorization: "auth",
  quota: "credit",
  rate_limit: "rate-limit",
  context_limit: "context",
};

const count = z.number().nonnegative().catch(0);
const usageFileOf = z.object({
  modelMetrics: z.record(
    z.string(),
    z.object({ usage: z.object({ inputTokens: count, outputTokens: count }) }),
  ),
});

/** The usage of the conversation so far, of all models. */
function readUsage(file: string): Usage | undefined {
  try {
    const { modelMetrics } = usageFileOf.parse(JSON.parse(readRegularFile(file) ?? ""));
    const each = Object.values(modelMetrics).map(({ usage }) => usage);
    return {
      input_tokens: each.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      output_tokens: each.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
      cost_usd: 0,
    };
  } catch {
    return undefined; // stopped before it wrote it
  }
}
