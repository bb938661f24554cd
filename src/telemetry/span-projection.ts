import type { RunEvent } from "../engine/run-events.ts";
import type { Usage } from "../ports/agent.ts";
import { type Attributes, createSpanTree, type EndedSpan, outer, root, type SpanTree } from "./span-tree.ts";

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type Followers = {
  readonly [T in RunEvent["type"]]?: (
    event: EventOf<T>,
    trace: TraceState,
  ) => readonly EndedSpan[] | undefined;
};

interface TraceState {
  readonly tree: SpanTree;
  /** How often an agent was called, by place. */
  readonly calls: Map<string, number>;
  /** The time of the last event, by place: the start of a check there. */
  readonly latest: Map<string, string>;
  /** The time of the previous event. */
  before: string;
  /** The agent of calls that name none. */
  usualAgent: string;
  /** Returns these attributes if content is wanted, else none. */
  ifContent(attributes: Attributes): Attributes;
}

/** Follows a run's events: returns the spans that end with each, inner ones first. */
export interface SpanProjection {
  follow(event: RunEvent): readonly EndedSpan[];
}

/**
 * The spans of a run: run, node, iteration, agent call, check, gate. Names and attributes follow OpenTelemetry's
 * conventions for generative AI; others start with `until_green.`. Prompts, answers and items are attributes only
 * with `content`.
 */
export function createSpanProjection({ content }: { readonly content: boolean }): SpanProjection {
  const ifContent = (attributes: Attributes) => (content ? attributes : {});
  const trace: TraceState = {
    tree: createSpanTree(),
    calls: new Map(),
    latest: new Map(),
    before: "",
    usualAgent: "",
    ifContent,
  };
  return {
    follow(event) {
      const follower = followers[event.type] as
        | ((event: RunEvent, trace: TraceState) => readonly EndedSpan[] | undefined)
        | undefined;
      const spans = follower?.(event, trace) ?? [];
      trace.before = event.at;
      const path = "path" in event ? (event.path ?? "") : "";
      for (let place = path; place !== ""; place = outer(place)) trace.latest.set(place, event.at);
      return spans;
    },
  };
}

const ofRuns: Followers = {
  "run.started"({ at, run, workflow, agent, message }, trace) {
    trace.usualAgent = agent;
    const attributes = {
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": workflow,
      "until_green.run.id": run,
      ...trace.ifContent({ "gen_ai.input.messages": messages("user", message) }),
    };
    return trace.tree.begin({ key: root, name: `invoke_workflow ${workflow}`, start: at, attributes }, root);
  },
  "run.ended"({ at, usage, conclusion, stop_reason, iterations, output }, { tree, ifContent }) {
    const more = {
      ...usageOf(usage),
      "until_green.conclusion": conclusion,
      "until_green.stop_reason": stop_reason,
      "until_green.iterations": iterations,
      ...ifContent({ "gen_ai.output.messages": messages("assistant", output) }),
    };
    return tree.end(root, at, { more, error: conclusion === "failure" ? stop_reason : undefined });
  },
  "gate.opened"({ at, path, node }, { tree }) {
    const attributes = { "until_green.path": path };
    return tree.begin({ key: gateAt(path), name: `gate ${node}`, start: at, attributes }, path);
  },
  "gate.answered": ({ at, path, decision }, { tree }) =>
    tree.end(gateAt(path), at, { more: { "until_green.decision": decision } }),
};

const ofNodes: Followers = {
  "node.started"({ at, path, node, kind }, { tree }) {
    const attributes = { "until_green.path": path, "until_green.node.kind": kind };
    return tree.begin({ key: path, name: `node ${node}`, start: at, attributes }, path);
  },
  "iteration.started"({ at, path, number, item }, { tree, ifContent }) {
    const attributes = {
      "until_green.path": path,
      "until_green.iteration": number,
      ...ifContent(item === undefined ? {} : { "until_green.item": JSON.stringify(item) }),
    };
    return tree.begin({ key: path, name: `iteration ${number}`, start: at, attributes }, path);
  },
  "iteration.ended": ({ at, path, diff }, { tree }) =>
    tree.end(path, at, { more: diff === undefined ? {} : { "until_green.changed_files": diff.files } }),
  "loop.ended": ({ path, stop_reason, iterations }, { tree }) =>
    tree.note(path, { [stopReason]: stop_reason, "until_green.iterations": iterations }),
  "node.ended"({ at, path, status }, { tree }) {
    const error = status === "failed" ? String(tree.attribute(path, stopReason) ?? "node-failed") : undefined;
    return tree.end(path, at, { more: { "until_green.status": status }, error });
  },
};

const ofCalls: Followers = {
  "agent.asked"({ at, path, agent: agentName, role, model, session, prompt }, trace) {
    const { tree, calls, before } = trace;
    // The agent was called again without an answer: the process that called it first was killed.
    const cut = tree.end(callAt(path, trace), before, { error: "interrupted" });
    calls.set(path, (calls.get(path) ?? 0) + 1);
    if (path.includes("?") && !tree.has(path)) beginCheck(path, at, trace);
    const agent = nameOf(agentName === "default" ? trace.usualAgent : agentName);
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": providerOf(agent, model),
      "gen_ai.agent.name": agent,
      ...(model === undefined ? {} : { "gen_ai.request.model": model }),
      ...conversation(session),
      "until_green.path": path,
      "until_green.role": role,
      ...trace.ifContent({ "gen_ai.input.messages": messages("user", prompt) }),
    };
    const key = callAt(path, trace);
    tree.begin({ key, name: `invoke_agent ${agent}`, kind: "client", start: at, attributes }, path);
    return cut;
  },
  "agent.answered": ({ at, path, usage, session, text }, trace) =>
    trace.tree.end(callAt(path, trace), at, {
      more: {
        ...usageOf(usage),
        ...conversation(session),
        ...trace.ifContent({ "gen_ai.output.messages": messages("assistant", text) }),
      },
    }),
  "agent.failed": ({ at, path, usage }, trace) =>
    trace.tree.end(callAt(path, trace), at, { more: usageOf(usage), error: "agent-error" }),
  "node.retried": ({ at, path }, trace) => trace.tree.end(callAt(path, trace), at, { error: "agent-error" }),
  "stop.tested"({ at, path, kind, verdict, tests, clean }, trace) {
    const { tree, latest, before } = trace;
    if (!tree.has(path)) beginCheck(path, latest.get(outer(path)) ?? before, trace);
    const more = {
      "until_green.check.kind": kind,
      "until_green.check.verdict": verdict,
      ...(tests && { "until_green.tests.passed": tests.passed, "until_green.tests.failed": tests.failed }),
      ...(clean && { "until_green.check.clean": clean.result }),
    };
    return tree.end(path, at, { more });
  },
};

const followers: Followers = { ...ofRuns, ...ofNodes, ...ofCalls };

const stopReason = "until_green.stop_reason";
const gateAt = (path: string) => `${path}!gate`;
const callAt = (path: string, { calls }: TraceState) => `${path}!call-${calls.get(path) ?? 0}`;

const beginCheck = (path: string, start: string, { tree }: TraceState) =>
  tree.begin({ key: path, name: "check", start, attributes: { "until_green.path": path } }, outer(path));

/** An agent's name without its argument: the command of `command:CMD`, the file of `scripted:FILE`. */
const nameOf = (agent: string) => agent.split(":", 1)[0] || "default";

const conversation = (session: string | undefined): Attributes =>
  session === undefined ? {} : { "gen_ai.conversation.id": session };

const usageOf = ({ input_tokens, output_tokens, cost_usd, cache_read, cache_write }: Usage): Attributes => ({
  "gen_ai.usage.input_tokens": input_tokens,
  "gen_ai.usage.output_tokens": output_tokens,
  ...(cache_read === undefined ? {} : { "gen_ai.usage.cache_read.input_tokens": cache_read }),
  ...(cache_write === undefined ? {} : { "gen_ai.usage.cache_creation.input_tokens": cache_write }),
  "until_green.cost_usd": cost_usd,
});

/** A message in the form of the conventions' JSON schemas. */
const messages = (role: "user" | "assistant", text: string): string =>
  JSON.stringify([
    {
      role,
      parts: [{ type: "text", content: text }],
      ...(role === "assistant" ? { finish_reason: "stop" } : {}),
    },
  ]);

/** Provider names in OpenTelemetry's conventions, by patterns for agents and models. */
const providers: readonly (readonly [RegExp, string])[] = [
  [/^(anthropic|claude)\b/i, "anthropic"],
  [/^(openai|codex|gpt|o\d)\b/i, "openai"],
  [/^(google|gemini)\b/i, "gcp.gemini"],
  [/^vertex/i, "gcp.vertex_ai"],
  [/^(amazon-)?bedrock\b/i, "aws.bedrock"],
  [/^azure/i, "azure.ai.openai"],
  [/^deepseek\b/i, "deepseek"],
  [/^groq\b/i, "groq"],
  [/^mistral/i, "mistral_ai"],
  [/^(xai|grok)\b/i, "x_ai"],
];

/**
 * The provider of a call, by its model (`anthropic/claude-sonnet-5-5`, `gpt-6`), else by its agent; if neither is
 * known, the agent's own name, because the conventions require one.
 */
function providerOf(agent: string, model: string | undefined): string {
  const named = (text: string) => providers.find(([pattern]) => pattern.test(text))?.[1];
  return (model === undefined ? undefined : named(model)) ?? named(agent) ?? agent;
}
