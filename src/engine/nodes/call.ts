import { renderText } from "../../expr/render.ts";
import { fillInputs } from "../../plan/inputs.ts";
import type { Call, Plan } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import { within } from "../deadline.ts";
import type { Flow } from "../flow.ts";
import type { Here } from "../here.ts";
import { tighter } from "../ledger.ts";
import { type Completed, failed, type Outcome } from "../outcome.ts";
import { scopeAt } from "../scope.ts";
import { openShared } from "../shared.ts";
import type { NodeFlow } from "./node.ts";
import { sinkOf } from "./sink.ts";
import { tellNodes } from "./walk.ts";

export const call: NodeFlow<"call"> = function* (node, here) {
  return yield* tellCall(node.call, yield* within(here, node.timeoutMs));
};

/** Tells another workflow inside this one, with a scope of its own. */
export function* tellCall(call: Call, here: Here): Flow<Outcome> {
  const child = here.plan.workflows[call.workflow];
  if (child === undefined) return failed("internal", `the plan lacks the workflow ${call.workflow}`);
  const scope = scopeAt(here);
  const given = Object.entries(call.with).map(([name, text]) => [name, renderText(text, scope)] as const);
  const own = call.message === undefined ? here.message : renderText(call.message, scope);
  const inside: Here = {
    ...here,
    plan: { ...inherited(here, child), ...child },
    budget: tighter(here.budget, child.budget),
    message: call.object === undefined ? own : asObject(call.object, given, scope.value({ ref: "item" })),
    inputs: fillInputs(child, Object.fromEntries(given)).inputs,
    outcome: () => undefined,
    published: () => undefined,
    frame: undefined,
    shared: child.body.walk && openShared(),
  };
  const outcome = sinkOf(child.body, yield* tellNodes(child.body, inside));
  return outcome.status === "completed" ? handedOn(outcome, call, { here, inside }) : outcome;
}

/** The child's end as the caller has it: its exits are its own, and the caller's memory takes what it asked for. */
function handedOn(
  { exit: _, ...outcome }: Completed,
  { takes = {} }: Call,
  { here, inside }: { readonly here: Here; readonly inside: Here },
): Outcome {
  const scope = scopeAt(inside);
  for (const [name, reference] of Object.entries(takes))
    here.shared?.memory.set(name, scope.value(reference));
  return outcome;
}

function asObject(
  names: readonly string[],
  given: readonly (readonly [string, string])[],
  item: Json,
): string {
  return JSON.stringify({ ...Object.fromEntries(given.filter(([name]) => names.includes(name))), item });
}

/** The caller's agent and model; a model alone means nothing to another agent. */
function inherited({ plan }: Here, child: Plan): Pick<Plan, "agent" | "model"> {
  if (child.agent !== undefined && child.agent !== plan.agent) return {};
  return {
    ...(plan.agent === undefined ? {} : { agent: plan.agent }),
    ...(plan.model === undefined ? {} : { model: plan.model }),
  };
}
