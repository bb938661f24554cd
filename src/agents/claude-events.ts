import type { ProviderError } from "../key-proxy/provider-errors.ts";
import type { AgentFault, Usage } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import type { ProcessEnd } from "../processes/process.ts";
import type { CliInvocation, CliProcess, CliResult } from "./cli/cli-definition.ts";
import { objectIn, textIn } from "./cli/fields.ts";
import type { JsonObject } from "./cli/json-lines.ts";
import { createMessageBuffer } from "./cli/message-buffer.ts";

/** Reads the events of one call of Claude Code. */
export function createEventReader(turn: CliInvocation): Pick<CliProcess, "read" | "result"> {
  const messages = createMessageBuffer();
  const known: Partial<Record<"session" | "version" | "error", string | undefined>> & { last?: JsonObject } =
    {};
  const readers: Readonly<Record<string, (event: JsonObject) => void>> = {
    system(event) {
      if (event["subtype"] === "api_retry") stopWhereHopeless(event, turn);
      if (event["subtype"] !== "init") return;
      known.session = textIn(event, "session_id");
      known.version = textIn(event, "claude_code_version");
    },
    stream_event(event) {
      const text = textIn(objectIn(objectIn(event, "event"), "delta"), "text");
      if (text === undefined || isInner(event)) return;
      messages.piece(text);
      turn.say(text);
    },
    assistant(event) {
      known.error = textIn(event, "error") ?? known.error;
      const text = textOf(objectIn(event, "message")?.["content"]);
      if (isInner(event)) return;
      if (text !== "") messages.whole(text);
      for (const { name, input } of toolsIn(objectIn(event, "message")?.["content"])) turn.tool(name, input);
    },
    result(event) {
      known.last = event;
    },
  };
  return {
    read(event) {
      const type = textIn(event, "type") ?? "";
      if (Object.hasOwn(readers, type)) readers[type]?.(event);
    },
    result: (end) => resultOf({ ...known, text: messages.text(), end }),
  };
}

/** From a subagent. */
const isInner = (event: JsonObject) => typeof event["parent_tool_use_id"] === "string";

/** It retries even if the key is refused, for minutes. */
function stopWhereHopeless(event: JsonObject, { giveUp }: CliInvocation): void {
  const status = Number(event["error_status"]);
  const fault = faultsByStatus[status];
  if (fault === "auth" || fault === "credit")
    giveUp({ fault, message: `the model's API answered ${status}` });
}

interface Known {
  readonly session?: string | undefined;
  readonly version?: string | undefined;
  readonly error?: string | undefined;
  readonly last?: JsonObject;
  readonly text: string;
  readonly end: ProcessEnd;
}

function resultOf({ session, version, error, last, text, end }: Known): CliResult {
  const about = { session, version };
  if (last === undefined) return { ...about, text, ended: false, ...unstarted(end) };
  const usage = usageOf(last);
  const errors = Array.isArray(last["errors"]) ? last["errors"].join("; ") : "";
  const { message = "" } = (objectIn(last, "error") ?? {}) as { readonly message?: string };
  if (last["is_error"] !== true) {
    const result = last["structured_output"] as Json | undefined;
    return { ...about, text: textIn(last, "result") ?? text, ended: true, usage, result };
  }
  const lost = lostSession.test(errors);
  const why = textIn(last, "result") || errors || message || String(last["subtype"]);
  const spent = usage.input_tokens > 0 ? { usage } : {};
  return { ...about, ...spent, text, ended: false, lost, trouble: troubleOf({ last, error, why }) };
}

/** Some refusals are plain text before any event. */
function unstarted({ stderr }: ProcessEnd): Partial<CliResult> {
  return lostSession.test(stderr) ? { lost: true } : {};
}

/** As Claude Code says it, and Qwen Code, which has the same events. */
const lostSession = /no (conversation|saved session) found/i;

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

function usageOf(last: JsonObject): Usage {
  const usage = objectIn(last, "usage");
  const count = (name: string) => Number(usage?.[name] ?? 0);
  const cached = count("cache_read_input_tokens") + count("cache_creation_input_tokens");
  return {
    input_tokens: count("input_tokens") + cached,
    output_tokens: count("output_tokens"),
    cost_usd: Number(last["total_cost_usd"] ?? 0),
  };
}

function toolsIn(content: unknown): readonly { readonly name: string; readonly input: unknown }[] {
  if (!Array.isArray(content)) return [];
  return content
    .filter((part: JsonObject) => part["type"] === "tool_use")
    .map((part: JsonObject) => ({ name: String(part["name"]), input: part["input"] }));
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content.map((part: JsonObject) => (part["type"] === "text" ? (part["text"] ?? "") : "")).join("");
}
