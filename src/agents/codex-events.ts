import type { ProviderError } from "../key-proxy/provider-errors.ts";
import type { AgentFault, Usage } from "../ports/agent.ts";
import type { CliInvocation } from "./cli/cli-definition.ts";
import { objectIn, textIn } from "./cli/event-fields.ts";
import { createEventReader } from "./cli/event-reader.ts";
import type { JsonObject } from "./cli/json-lines.ts";

/** Reads the output of one call of Codex. */
export const eventReader = (turn: CliInvocation) =>
  createEventReader(turn, {
    "thread.started": (event, call) => call.began(textIn(event, "thread_id")),
    "item.started"(event, call) {
      const item = objectIn(event, "item");
      const name = textIn(item, "type") ?? "";
      if (toolItems.has(name)) call.tool(textIn(item, "tool") ?? name, aboutItem(item));
    },
    "item.completed"(event, call) {
      const item = objectIn(event, "item");
      const text = textIn(item, "text");
      if (item?.["type"] !== "agent_message" || text === undefined) return;
      call.whole(text);
      turn.say(`${text}\n`);
    },
    error(event, call) {
      // Usually it only reports a retry; but a key that is refused once will be refused again.
      const error = troubleIn(textIn(event, "message") ?? "");
      call.trouble = error;
      if (error.fault === "auth" || error.fault === "credit") turn.giveUp(error);
    },
    "turn.completed"(event, call) {
      call.usage = usageOf(event);
      call.ends();
    },
    "turn.failed"(event, call) {
      call.trouble = troubleIn(textIn(objectIn(event, "error"), "message") ?? "");
    },
  });

/** The items that are tool calls; others are messages and thoughts. */
const toolItems: ReadonlySet<string> = new Set([
  "command_execution",
  "file_change",
  "mcp_tool_call",
  "web_search",
]);

/** The command, the query, or the first file it changes. */
function aboutItem(item: JsonObject | undefined): unknown {
  const changes = item?.["changes"];
  if (Array.isArray(changes)) return changes[0];
  return { command: item?.["command"], query: item?.["query"], arguments: textIn(item, "arguments") };
}

/** Its errors are prose, so the class is derived from the text. */
function troubleIn(message: string): ProviderError {
  const fault = classes.find(([pattern]) => pattern.test(message))?.[1] ?? "crash";
  return { fault, message };
}

const classes: readonly (readonly [RegExp, AgentFault])[] = [
  [/quota exceeded|billing|status:? 402/i, "credit"],
  [/status:? 40[13]\b/i, "auth"],
  [/ran out of room|context window|context_length/i, "context"],
  [/status:? 429|usage limit/i, "rate-limit"],
  [/high demand|overloaded|status:? (503|529)/i, "overloaded"],
  [
    /status:? 5\d\d|stream disconnected|idle timeout|error sending request|connection|discovery failed/i,
    "network",
  ],
  [/status:? 4\d\d/i, "refused"],
];

/** The usage of the whole thread. */
function usageOf(event: JsonObject): Usage {
  const usage = objectIn(event, "usage");
  const count = (name: string) => Number(usage?.[name] ?? 0);
  return { input_tokens: count("input_tokens"), output_tokens: count("output_tokens"), cost_usd: 0 };
}
