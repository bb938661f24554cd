import { join } from "node:path";
import { addUsage } from "../ports/agent.ts";
import type { CliInvocation, CliProcess } from "./cli/cli-definition.ts";
import { objectIn, textIn, usageIn } from "./cli/event-fields.ts";
import { createEventReader } from "./cli/event-reader.ts";
import { argumentsFor, option } from "./cli/flags.ts";
import { leasedModel } from "./cli/leased-model.ts";
import { messageOfParts } from "./cli/message-forms.ts";
import { projectOf } from "./cli/session-files.ts";
import { extensionSource } from "./pi-extension.ts";
import { type OwnTools, toolsAllowed } from "./tool-limits.ts";

/** One call of pi. */
export const begin = (turn: CliInvocation): CliProcess => ({
  args: argsOf(turn),
  env: { PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" },
  ...readerOf(turn),
});

const ownTools: OwnTools = {
  read: ["read"],
  list: ["ls"],
  search: ["grep", "find"],
  edit: ["edit"],
  write: ["write"],
  shell: ["bash"],
};

function argsOf(turn: CliInvocation): readonly string[] {
  const { request, server, scratch, context } = turn;
  const provider = providerOf(turn);
  const allowed = toolsAllowed(request, ownTools);
  const loopTools = server?.tools.map(({ name }) => name) ?? [];
  scratch.write("given.json", JSON.stringify({ provider, server }));
  return [
    ...["--print", "--mode", "json", "--offline"],
    ...["--no-extensions", "--no-skills", "--no-prompt-templates", "--no-themes"],
    ...["--extension", scratch.write("until-green.ts", extensionSource)],
    ...["--session-dir", join(turn.home, "sessions", projectOf(context.workspace))],
    ...option("--provider", provider && "until-green"),
    ...option("--model", provider?.models[0].id ?? request.model),
    ...option("--tools", allowed && [...allowed, ...loopTools].join(",")),
    ...argumentsFor(turn, {
      effort: "--thinking",
      efforts: ["minimal", "low", "medium", "high", "xhigh", "max"],
      instructions: "--append-system-prompt",
      ignoreInstructions: "--no-context-files",
      resume: "--session",
    }),
  ];
}

/** The model behind the key proxy, as pi's `registerProvider` takes it. */
function providerOf(turn: CliInvocation) {
  const leased = leasedModel(turn);
  if (leased === undefined) return undefined;
  const { id, provider, baseUrl, key: apiKey, window: contextWindow, output: maxTokens } = leased;
  const openai = turn.environment["OPENAI_BASE_URL"] ? "openai-completions" : "openai-responses";
  const api = provider === "anthropic" ? "anthropic-messages" : openai;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const reasoning = turn.request.settings?.effort !== undefined;
  const model = { id, name: id, reasoning, input: ["text", "image"], cost, contextWindow, maxTokens };
  return { baseUrl, apiKey, api, models: [model] as const };
}

const readerOf = (turn: CliInvocation) =>
  createEventReader(turn, {
    session: (event, call) => call.began(textIn(event, "id")),
    message_update(event, call) {
      const update = objectIn(event, "assistantMessageEvent");
      if (update?.["type"] === "text_delta") call.piece(textIn(update, "delta"));
    },
    message_end(event, call) {
      const message = objectIn(event, "message");
      if (message?.["role"] !== "assistant") return;
      const stop = textIn(message, "stopReason");
      const error = stop === "error" ? textIn(message, "errorMessage") : undefined;
      call.ended = stop === "stop" || stop === "length";
      call.trouble = error === undefined ? undefined : { fault: "crash", message: error };
      call.usage = addUsage(usageIn(objectIn(message, "usage"), usageNames), call.usage);
      const { text } = messageOfParts(message);
      if (text !== "" || stop === "stop") call.whole(text);
    },
    tool_execution_start: (event, call) => call.tool(textIn(event, "toolName"), event["args"]),
  });

const usageNames = { input: "input", output: "output", cacheRead: "cacheRead", cacheWrite: "cacheWrite" };
