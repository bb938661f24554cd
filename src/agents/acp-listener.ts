import type {
  PermissionOption,
  RequestPermissionRequest,
  SessionUpdate,
  ToolCall,
  ToolKind,
} from "@agentclientprotocol/sdk";
import { z } from "zod";
import {
  type AgentContext,
  AgentError,
  type AgentRequest,
  countable,
  noUsage,
  type Usage,
} from "../ports/agent.ts";
import type { Capability } from "../ports/tool-names.ts";
import { headAndTail } from "../processes/bounded-output.ts";
import { capabilitiesFor } from "./tool-limits.ts";

interface Listening {
  readonly name: string;
  readonly request: AgentRequest;
  readonly context: AgentContext;
}

const mostText = 256 * 1024;

/** Collects what a program of the Agent Client Protocol says, and decides what it may do. */
export class AcpListener {
  /** Rejects if the program does something without asking that it may not do. */
  readonly refused: Promise<never>;
  readonly #refuse: (error: AgentError) => void;
  readonly #call: Listening;
  readonly #allowed: ReadonlySet<Capability> | undefined;
  readonly #granted = new Set<string>();
  #text = headAndTail(mostText);
  #isLive = false;
  #cost = 0;
  #costBefore = 0;
  #usage: Usage | undefined;

  constructor(call: Listening) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.refused = promise;
    this.#refuse = reject;
    this.#call = call;
    this.#allowed = call.request.tools?.advisory ? undefined : capabilitiesFor(call.request);
  }

  /** The final message so far: head and tail of at most 256 KiB. */
  get text(): string {
    return this.#text.text().trim();
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** From now on its updates belong to this turn: a program that continues a conversation first repeats it. */
  begin(): void {
    this.#isLive = true;
    this.#costBefore = this.#cost;
  }

  count(spent: Usage): void {
    this.#usage = countable({ ...spent, cost_usd: this.#usage?.cost_usd ?? 0 });
  }

  decide({ toolCall, options }: RequestPermissionRequest) {
    const isAllowed = this.#isAllowed(toolCall.kind);
    const wanted: PermissionOption["kind"][] = isAllowed
      ? ["allow_once", "allow_always"]
      : ["reject_once", "reject_always"];
    const option = wanted.flatMap((kind) => options.find((one) => one.kind === kind) ?? [])[0];
    if (option === undefined) return { outcome: { outcome: "cancelled" as const } };
    if (isAllowed) this.#granted.add(toolCall.toolCallId);
    return { outcome: { outcome: "selected" as const, optionId: option.optionId } };
  }

  update(update: SessionUpdate): void {
    if (update.sessionUpdate === "usage_update" && update.cost?.currency === "USD")
      this.#pay(update.cost.amount);
    if (!this.#isLive) return;
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
      this.#text.push(Buffer.from(update.content.text));
      this.#call.context.onText(update.content.text);
    } else if (update.sessionUpdate === "tool_call") this.#tool(update);
  }

  /** The cost of the whole conversation so far. */
  #pay(amount: number): void {
    this.#cost = amount;
    if (!this.#isLive) return;
    this.#usage = countable({ ...(this.#usage ?? noUsage), cost_usd: amount - this.#costBefore });
    this.#call.context.onUsage?.(this.#usage);
  }

  #tool({ kind, title, toolCallId, rawInput, locations, status }: ToolCall): void {
    // What it says before it uses a tool is not its final message.
    this.#text = headAndTail(mostText);
    this.#call.context.onTool?.({ name: title, about: locations?.[0]?.path ?? aboutOf(rawInput) });
    if (this.#isAllowed(kind) || this.#granted.has(toolCallId) || status === "pending") return;
    const used = `${this.#call.name} used ${title} without asking, although its tools are limited`;
    this.#refuse(new AgentError("refused", `${used}: choose another agent, or set \`tools: advisory\``));
  }

  #isAllowed(kind: ToolKind | null | undefined): boolean {
    const allowed = this.#allowed;
    return allowed === undefined || capabilitiesOf(kind).some((one) => allowed.has(one));
  }
}

const aboutOf = (input: unknown): string => {
  const { command, path, pattern } = z.looseObject({}).safeParse(input).data ?? {};
  return [command, path, pattern].find((one) => typeof one === "string") ?? "";
};

/** What a tool of this kind needs; any of them is enough. A kind that we do not know may do anything. */
const capabilitiesOf = (kind: ToolKind | null | undefined): readonly Capability[] =>
  kinds[kind ?? "other"] ?? ["shell"];

const kinds: Readonly<Partial<Record<ToolKind, readonly Capability[]>>> = {
  read: ["read", "list"],
  search: ["search", "list"],
  edit: ["edit", "write"],
  delete: ["write"],
  move: ["write"],
  fetch: ["web"],
  think: ["read", "list", "search", "edit", "write", "shell", "web", "agent"],
};
