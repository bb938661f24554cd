import type { ProviderError } from "../key-proxy/provider-errors.ts";
import { type AgentFault, addUsage, type Usage } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import type { CliInvocation, CliProcess, CliResult } from "./cli/cli-definition.ts";
import { objectIn, textIn, usageIn } from "./cli/event-fields.ts";
import { createEventReader } from "./cli/event-reader.ts";
import type { JsonObject } from "./cli/json-lines.ts";
import { messageOfParts } from "./cli/message-forms.ts";

/** Reads the events of one call of Claude Code, or of Qwen Code, which has the same events. */
export function claudeReader(turn: CliInvocation): Pick<CliProcess, "read" | "result"> {
  let error: string | undefined;
  let last: JsonObject | undefined;
  const spends = usageByMessage(turn);
  return createEventReader(
    turn,
    {
      system(event, call) {
        if (event["subtype"] === "api_retry") stopWhereHopeless(event, turn);
        if (event["subtype"] !== "init") return;
        call.session = textIn(event, "session_id");
        call.version = textIn(event, "claude_code_version");
      },
      stream_event(event, call) {
        if (!isInner(event)) call.piece(textIn(objectIn(objectIn(event, "event"), "delta"), "text"));
      },
      assistant(event, call) {
        error = textIn(event, "error") ?? error;
        spends(objectIn(event, "message"));
        if (isInner(event)) return;
        const { text, calls } = messageOfParts(objectIn(event, "message"));
        if (text !== "") call.whole(text);
        for (const { name, input } of calls) call.tool(name, input);
      },
      result: (event) => {
        last = event;
      },
    },
    () => resultOf(last, error),
  );
}

/** Reports the sum of the messages' usage. A message is repeated for each of its parts, with the usage so far. */
function usageByMessage(turn: CliInvocation): (message: JsonObject | undefined) => void {
  const byId = new Map<string, Usage>();
  return (message) => {
    const id = textIn(message, "id");
    const counts = objectIn(message, "usage");
    if (id === undefined || counts === undefined) return;
    byId.set(id, usageIn(counts, usageNames));
    turn.spends?.([...byId.values()].reduce((all, one) => addUsage(one, all)));
  };
}

/** True for an event from a subagent. */
const isInner = (event: JsonObject) => typeof event["parent_tool_use_id"] === "string";

/** It would retry for minutes even if the key is refused. */
function stopWhereHopeless(event: JsonObject, { giveUp }: CliInvocation): void {
  const status = Number(event["error_status"]);
  const fault = faultsByStatus[status];
  if (fault === "auth" || fault === "credit")
    giveUp({ fault, message: `the model's API answered ${status}` });
}

function resultOf(last: JsonObject | undefined, error: string | undefined): Partial<CliResult> {
  if (last === undefined) return {};
  const usage = usageOf(last);
  const errors = Array.isArray(last["errors"]) ? last["errors"].join("; ") : "";
  const { message = "" } = (objectIn(last, "error") ?? {}) as { readonly message?: string };
  if (last["is_error"] !== true) {
    const text = textIn(last, "result");
    const result = last["structured_output"] as Json | undefined;
    return { ...(text === undefined ? {} : { text }), ended: true, usage, result };
  }
  const why = textIn(last, "result") || errors || message || String(last["subtype"]);
  const spent = usage.input_tokens > 0 ? { usage } : {};
  return { ...spent, trouble: troubleOf({ last, error, why }) };
}

function troubleOf({
  last,
  error,
  why,
}: {
  readonly last: JsonObject;
  readonly error: string | undefined;
  readonly why: string;
}): ProviderError {
  const reason = textIn(last, "terminal_reason") ?? "";
  const subtype = textIn(last, "subtype") ?? "";
  const fault =
    faultsByWord[subtype] ??
    faultsByWord[reason] ??
    faultsByWord[error ?? ""] ??
    faultsByStatus[Number(last["api_error_status"])] ??
    (/can't reach|ENOTFOUND|ECONN/i.test(why) ? "network" : undefined) ??
    (/empty response/i.test(why) ? "empty" : undefined) ??
    (error === "server_error" ? "overloaded" : "crash");
  return { fault, message: why };
}

const faultsByWord: Readonly<Record<string, AgentFault>> = {
  error_max_turns: "max-turns",
  error_max_budget_usd: "max-turns",
  prompt_too_long: "context",
  authentication_failed: "auth",
  billing_error: "credit",
  rate_limit: "rate-limit",
  model_not_found: "refused",
};

const faultsByStatus: Readonly<Record<number, AgentFault>> = {
  401: "auth",
  402: "credit",
  403: "auth",
  429: "rate-limit",
  500: "overloaded",
  502: "network",
  503: "overloaded",
  504: "network",
  529: "overloaded",
};

const usageOf = (last: JsonObject): Usage => ({
  ...usageIn(objectIn(last, "usage"), usageNames),
  cost_usd: Number(last["total_cost_usd"] ?? 0),
});

const usageNames = {
  input: "input_tokens",
  output: "output_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_creation_input_tokens",
};
