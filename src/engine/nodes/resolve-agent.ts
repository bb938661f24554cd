import { isObject } from "../../expressions/output-value.ts";
import type { AgentCall, NamedAgent } from "../../plan/plan.ts";
import type { AgentRequest } from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";
import type { Json } from "../../ports/json.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { RunSettings } from "../log-events.ts";

/**
 * The call with the agent or model that replaces its own: for one of several attempts, or for a loop without
 * progress.
 */
export function ofAttempt(call: AgentCall, { attempt, escalated, plan }: ExecutionContext): AgentCall {
  const standIn = escalated ?? attempt;
  if (standIn === undefined || standIn.plan !== plan || (escalated && (call.role ?? "worker") !== "worker"))
    return call;
  const { by, insteadOf } = standIn;
  if (call.agent !== insteadOf.agent || call.model !== insteadOf.model) return call;
  const { agent, model, ...rest } = call;
  // A model belongs to its agent: a new agent does not keep the old model.
  return { ...rest, ...(by.agent === undefined ? defined({ agent, model }) : {}), ...by };
}

/** The agent that will answer: the user's choice, else the named agent's, the file's, or the run's default. */
export function chosenAgent(
  { agent, role }: { readonly agent?: string | undefined; readonly role?: AgentRequest["role"] },
  { plan, facts }: ExecutionContext,
): string | undefined {
  const named = agent !== undefined && Object.hasOwn(plan.agents, agent) ? plan.agents[agent] : undefined;
  const fromFile = named === undefined ? agent : named.agent;
  return facts.agent ?? fromFile ?? plan.agent ?? defaultFor(role ?? "worker", facts);
}

/** A request with the settings of its named agent and of the run, and without invisible text. */
export function resolveAgent(request: AgentRequest, context: ExecutionContext): AgentRequest {
  const { plan, facts } = context;
  const named: NamedAgent | undefined =
    request.agent !== undefined && Object.hasOwn(plan.agents, request.agent)
      ? plan.agents[request.agent]
      : undefined;
  // If the user chose an agent, models named for other agents do not apply.
  const model = facts.agent === undefined ? (request.model ?? named?.model ?? plan.model) : undefined;
  // The node's own schema takes precedence for a worker; a judge defines its own answer format.
  const [schema, other] =
    request.role === "judge" && asksDone(named?.schema)
      ? [named?.schema, request.schema]
      : [request.schema, named?.schema];
  const tools = request.tools ?? named?.tools;
  const settings = { ...named?.settings, ...request.settings };
  return {
    ...request,
    prompt: withoutHiddenText(request.prompt),
    ...(tools === undefined ? {} : { tools }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    agent: chosenAgent(request, context),
    model: strongerModel(request, context) ?? facts.model ?? model,
    instructions: named?.instructions ?? request.instructions,
    schema: schema ?? other,
  };
}

/** The stronger model of a loop without progress takes precedence over the run's default model. */
const strongerModel = ({ model, role }: AgentRequest, { escalated, plan }: ExecutionContext) =>
  escalated?.plan === plan && (role ?? "worker") === "worker" && model === escalated.by.model
    ? model
    : undefined;

const defaultFor = (role: AgentRequest["role"], { default_agent, default_judge }: RunSettings) =>
  role === "worker" ? default_agent : (default_judge ?? default_agent);

/** A judge's own schema is used if it has the field that decides. */
const asksDone = (schema: Json | undefined): boolean =>
  isObject(schema) && isObject(schema["properties"]) && Object.hasOwn(schema["properties"], "done");

/**
 * Removes text that only models read: characters of Unicode's tag block, and runs of variation selectors, which can
 * encode bytes. People see them neither in a file or an answer nor in the log. Flags of regions, which use tag
 * characters, are kept.
 */
export function withoutHiddenText(prompt: string): string {
  return prompt.replace(hidden, (section) => (flag.test(section) ? section : ""));
}

const hidden =
  /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|[\u{e0000}-\u{e007f}]+|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;
const flag = /^\u{1f3f4}/u;
