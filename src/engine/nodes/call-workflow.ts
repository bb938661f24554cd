import { renderText } from "../../expressions/render.ts";
import { fillInputs } from "../../plan/inputs.ts";
import type { Call, Plan } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import type { Json } from "../../ports/json.ts";
import { withDeadline } from "../deadline.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { Operation } from "../operation.ts";
import { type Completed, failed, type Outcome } from "../outcome.ts";
import { minBudget } from "../run-totals.ts";
import { scopeAt } from "../scope.ts";
import { createSequenceState } from "../sequence-state.ts";
import { graphOutcome } from "./graph-outcome.ts";
import type { NodeOperation } from "./node.ts";
import { requireEvidence } from "./require-evidence.ts";
import { runSequence } from "./sequence.ts";

export const call: NodeOperation<"call"> = function* (node, context) {
  return yield* runWorkflowCall(node.call, yield* withDeadline(context, node.timeoutMs));
};

/** Runs another workflow inside this one, in a scope of its own. */
export function* runWorkflowCall(call: Call, context: ExecutionContext): Operation<Outcome> {
  const child = context.plan.workflows[call.workflow];
  if (child === undefined) return failed("internal", `the plan lacks the workflow ${call.workflow}`);
  const scope = scopeAt(context);
  const inputs = Object.entries(call.with).map(([name, text]) => [name, renderText(text, scope)] as const);
  const own = call.message === undefined ? context.message : renderText(call.message, scope);
  const inside: ExecutionContext = {
    ...context,
    plan: { ...inherited(context, child), ...child },
    budget: minBudget(context.budget, child.budget),
    message: call.object === undefined ? own : asObject(call.object, inputs, scope.value({ ref: "item" })),
    context: call.context && renderText(call.context, scope),
    inputs: fillInputs(child, Object.fromEntries(inputs)).inputs,
    outcome: () => undefined,
    published: () => undefined,
    frame: undefined,
    shared: child.body.walk && createSequenceState(),
  };
  const ended = graphOutcome(child.body, yield* runSequence(child.body, inside));
  const outcome = yield* requireEvidence(ended, inside);
  return outcome.status === "completed" ? outcomeForCaller(outcome, call, { context, inside }) : outcome;
}

/**
 * The child's outcome as the caller sees it: the child keeps its exits, and requested values are stored in the
 * caller's memory.
 */
function outcomeForCaller(
  { exit: _, ...outcome }: Completed,
  { takes = {} }: Call,
  { context, inside }: { readonly context: ExecutionContext; readonly inside: ExecutionContext },
): Outcome {
  const scope = scopeAt(inside);
  for (const [name, reference] of Object.entries(takes))
    context.shared?.memory.set(name, scope.value(reference));
  return outcome;
}

function asObject(
  names: readonly string[],
  inputs: readonly (readonly [string, string])[],
  item: Json,
): string {
  return JSON.stringify({ ...Object.fromEntries(inputs.filter(([name]) => names.includes(name))), item });
}

/** The caller's agent and model. A model is passed on only together with its agent. */
function inherited({ plan }: ExecutionContext, child: Plan): Pick<Plan, "agent" | "model"> {
  if (child.agent !== undefined && child.agent !== plan.agent) return {};
  return defined({ agent: plan.agent, model: plan.model });
}
