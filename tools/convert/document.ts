import { writeSettings } from "../../src/dialects/native/agent-settings.ts";
import type { Text } from "../../src/expressions/template.ts";
import type { AgentCall, Body, ForEachNode, Graph, LoopNode, Node, Plan } from "../../src/plan/plan.ts";
import type { StopSpec } from "../../src/stops/index.ts";
import { celOf, sourceOf, whenOf } from "./templates.ts";

type Mapping = Readonly<Record<string, unknown>>;

const usualAtMost = 8;
const usualIdleMs = 1_800_000;

/** The native file of a plan, as a YAML value. */
export function documentOf({
  name,
  description,
  agent,
  model,
  agents,
  inputs,
  budget: { warnings, ...limits },
  patienceMs,
  fallback,
  series = {},
  body,
}: Plan): Mapping {
  return clean({
    name,
    description,
    agent,
    model,
    agents: filled(Object.fromEntries(Object.entries(agents).map(([id, one]) => [id, agentOf(one)]))),
    inputs: filled(inputs),
    budget: filled({
      ...limits,
      warn_at: warnings,
      day_usd: series.dayUsd,
      day_tokens: series.dayTokens,
      per_pull_request_usd: series.pullUsd,
      per_person_usd: series.personUsd,
    }),
    patience: patienceMs,
    fallback_agent: fallback?.by.agent,
    fallback_model: fallback?.by.model,
    fallback_after: fallback?.after,
    cooldown: series.cooldownMs,
    stop_after: series.stopAfter,
    max_open: series.maxOpen,
    gate_timeout: series.gateTimeoutMs,
    failure_issue: series.failureIssue,
    until_checks: series.untilChecks,
    until_reviews: series.untilReviews,
    until_mergeable: series.untilMergeable,
    title: series.title,
    body: series.body,
    commit_message: series.commitMessage,
    max_concurrency: body.atMost === usualAtMost ? undefined : body.atMost,
    time_limit: body.timeoutMs,
    nodes: nodesOf(body),
  });
}

const agentOf = ({ schema, tools, settings, ...rest }: Plan["agents"][string]) =>
  clean({ ...rest, result_schema: schema, ...writeSettings(settings, tools) });

const nodesOf = ({ nodes }: Graph): readonly Mapping[] => nodes.map(nodeOf);

function nodeOf(node: Node): Mapping {
  const { id, after, when, trigger, retry } = node;
  return clean({
    id,
    depends_on: after.length === 0 ? undefined : after,
    when: when && whenOf(when),
    trigger_rule: trigger === "all_success" ? undefined : trigger,
    retry: isLoop(node)
      ? undefined
      : retry && { max_attempts: retry.times, delay_ms: retry.delayMs, on_error: retry.on },
    ...workOf(node),
  });
}

const isLoop = ({ kind }: Node) => kind === "loop" || kind === "for-each";

function workOf(node: Node): Mapping {
  switch (node.kind) {
    case "agent":
      return {
        ...callOf(node.call),
        context: node.call.continues === undefined && node.after.length > 0 ? "fresh" : undefined,
        prompt: sourceOf(node.call.prompt),
      };
    case "call":
      return bodyOf(node.call);
    case "script":
      return {
        script: "inline" in node.source ? sourceOf(node.source.inline) : node.source.file,
        runtime: node.runtime,
        deps: node.deps.length === 0 ? undefined : node.deps,
        with: node.env && textsOf(node.env),
        timeout: node.timeoutMs,
      };
    case "cancel":
      return { cancel: sourceOf(node.reason) };
    case "loop":
      return { ...onNode(node.body), loop: loopOf(node) };
    case "for-each":
      return { ...onNode(node.body), loop: itemsOf(node) };
    default:
      return {};
  }
}

/** Texts by input names; a program's variables have them in capitals. */
const textsOf = (texts: Readonly<Record<string, Text>>): Mapping =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      /^INPUTS_([A-Z0-9_]+)$/.exec(name)?.[1]?.toLowerCase() ?? name,
      sourceOf(text),
    ]),
  );

const callOf = ({ agent, model, schema, result, idleMs, timeoutMs, ...more }: AgentCall): Mapping => ({
  agent,
  model,
  systemPrompt: more.instructions,
  ...writeSettings(more.settings, more.tools),
  idle_timeout: idleMs === usualIdleMs ? undefined : idleMs,
  timeout: timeoutMs,
  output_format: schema,
  output_required: schema === undefined ? undefined : result === "required",
});

/** The keys next to `loop`, if its body is a single call. */
const onNode = (body: Body): Mapping => (body.kind === "agent" ? callOf(body.call) : {});

function bodyOf(body: Body): Mapping {
  switch (body.kind) {
    case "agent":
      return { prompt: sourceOf(body.call.prompt) };
    case "graph":
      return { nodes: nodesOf(body) };
    case "call":
      return {
        workflow: body.workflow,
        with: filled(textsOf(body.with)),
        message: body.message && sourceOf(body.message),
      };
  }
}

function loopOf(loop: LoopNode): Mapping {
  const { body, stops, max, onMax, session, delayMs, output, accumulate } = loop;
  return clean({
    ...bodyOf(body),
    ...Object.assign({}, ...stops.map(stopOf)),
    max_iterations: max,
    on_max: onMax === "fail" ? undefined : onMax,
    ...errorOf(loop),
    fresh_context: session === "fresh" ? true : undefined,
    delay: delayMs === 0 ? undefined : delayMs,
    output: output === "last" ? undefined : output,
    accumulate,
    ...wholeOf(loop),
    ...restOf(loop),
  });
}

/** Settings of all iterations together. */
const wholeOf = ({ timeoutMs, retry }: LoopNode | ForEachNode): Mapping => ({
  time_limit: timeoutMs,
  restarts: retry?.times,
  restart_delay: retry?.delayMs === 0 ? undefined : retry?.delayMs,
});

function restOf({ gate, mode, protect }: LoopNode): Mapping {
  return {
    until_mode: mode === "any" ? undefined : mode,
    interactive: gate && true,
    gate_message: gate && sourceOf(gate.message),
    signal_completes: gate?.signalCompletes === false ? false : undefined,
    protect: protect.length === 0 ? undefined : protect,
  };
}

function stopOf(stop: StopSpec): Mapping {
  switch (stop.kind) {
    case "expression":
      return { until_expr: celOf(stop.expression) };
    case "answer":
      return { until_condition: sourceOf(stop.question), ...verdictOf(stop.onError) };
    case "judge":
      return {
        until_agent: stop.agent,
        ...verdictOf(stop.onError),
        ...(stop.shown ? {} : { judge_sees: stop.sees === "history" ? "all" : "last" }),
      };
    case "signal":
      return { until: stop.text, ...(stop.form === "tag" ? { until_form: "tag" } : {}) };
    case "fail-signal":
      return { fail_until: stop.text };
    case "until-field":
      return { until_field: stop.field };
    default:
      return {};
  }
}

const verdictOf = (onError: "go-on" | undefined): Mapping =>
  onError === undefined ? {} : { no_verdict: "continue" };

function itemsOf(node: ForEachNode): Mapping {
  const { items, body, atMost, delayMs, output, accumulate, isolation, spread } = node;
  const sources = {
    list: () => (items.kind === "list" ? items.list : undefined),
    text: () => (items.kind === "text" ? sourceOf(items.text) : undefined),
    cel: () => (items.kind === "cel" ? celOf(items) : undefined),
    file: () => undefined,
  };
  return clean({
    for_each: sources[items.kind](),
    ...bodyOf(body),
    max_concurrency: atMost === 1 ? undefined : atMost,
    isolation: isolation === "shared" ? undefined : isolation,
    spread: spread && "jobs",
    batch: spread?.batch,
    max_parallel: spread?.maxParallel,
    ...errorOf(node),
    delay: delayMs === 0 ? undefined : delayMs,
    output: output === "last" ? undefined : output,
    accumulate,
    ...wholeOf(node),
  });
}

function errorOf({ onError, ...node }: LoopNode | ForEachNode): Mapping {
  switch (onError.mode) {
    case "fail":
      return {};
    case "continue":
      return { on_error: "forgetsFailures" in node ? "forget" : "continue" };
    case "retry":
      return { on_error: "retry", retries: onError.times, retry_delay: onError.delayMs };
  }
}

const filled = <T extends object>(mapping: T): T | undefined =>
  Object.keys(mapping).length === 0 ? undefined : mapping;

const clean = (mapping: Mapping): Mapping =>
  Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== undefined));
