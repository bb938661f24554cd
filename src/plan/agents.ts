import { asksModel } from "../stops/index.ts";
import type { AttemptAgent } from "./attempts.ts";
import type { AgentCall, Body, Graph, LoopNode, Plan } from "./plan.ts";

/** The agents that a plan names; `undefined` if it leaves the choice open. */
export function agentsOf(plan: Plan): ReadonlySet<string | undefined> {
  const names = new Set<string | undefined>();
  const add = (name: string | undefined) => {
    const named = name !== undefined && Object.hasOwn(plan.agents, name) ? plan.agents[name] : undefined;
    names.add((named === undefined ? name : named.agent) ?? plan.agent);
  };
  for (const name of namesIn(plan.body)) add(name);
  if (plan.coordinator !== undefined) add(plan.coordinator);
  if (plan.fallback?.by.agent !== undefined) add(plan.fallback.by.agent);
  for (const child of Object.values(plan.workflows)) {
    for (const name of agentsOf(child)) names.add(name ?? plan.agent);
  }
  return names;
}

function* namesIn({ nodes }: Graph): Iterable<string | undefined> {
  for (const node of nodes) {
    switch (node.kind) {
      case "agent":
        yield node.call.agent;
        break;
      case "approval":
        if (node.onReject !== undefined) yield node.onReject.call.agent;
        break;
      case "loop":
        yield* inBody(node.body);
        yield* agentsIn([node.escalate?.by]);
        yield* inStops(node.stops);
        break;
      case "for-each":
        yield* agentsIn(node.attempts?.by ?? []);
        yield* inBody(node.body);
        break;
      case "parallel":
        yield* inBody(node.body);
        break;
    }
  }
}

function* agentsIn(those: readonly (AttemptAgent | undefined)[]): Iterable<string> {
  for (const one of those) if (one?.agent !== undefined) yield one.agent;
}

function* inStops(stops: LoopNode["stops"]): Iterable<string | undefined> {
  for (const stop of stops.filter(asksModel)) yield "agent" in stop ? stop.agent : undefined;
}

function* inBody(body: Body): Iterable<AgentCall["agent"]> {
  if (body.kind === "agent") yield body.call.agent;
  if (body.kind === "graph") yield* namesIn(body);
}
