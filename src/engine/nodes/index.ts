/**
 * The kinds of node: one file each, one line here.
 * @module
 */
import type { Node, Plan } from "../../plan/plan.ts";
import type { RunFacts } from "../event.ts";
import type { Flow } from "../flow.ts";
import type { Here } from "../here.ts";
import { labelsOf } from "../label.ts";
import { tighter } from "../ledger.ts";
import type { Outcome } from "../outcome.ts";
import { agent } from "./agent.ts";
import { approval } from "./approval.ts";
import { call } from "./call.ts";
import { cancel } from "./cancel.ts";
import { forEach } from "./for-each.ts";
import { loop } from "./loop.ts";
import type { NodeFlow } from "./node.ts";
import { parallel } from "./parallel.ts";
import { script } from "./script.ts";
import { shell } from "./shell.ts";
import { settled } from "./sink.ts";
import { tellNodes } from "./walk.ts";

const flows: { readonly [K in Node["kind"]]: NodeFlow<K> } = {
  agent,
  approval,
  call,
  cancel,
  "for-each": forEach,
  loop,
  parallel,
  script,
  shell,
};

const tellNode = (node: Node, here: Here): Flow<Outcome> => flows[node.kind](node as never, here);

/** Tells a whole run. */
export function* tellPlan(plan: Plan, facts: RunFacts): Flow<Outcome> {
  const here: Here = {
    path: "",
    plan,
    facts,
    budget: tighter(plan.budget, facts.limits),
    message: facts.message,
    inputs: facts.inputs,
    outcome: () => undefined,
    published: () => undefined,
    frame: undefined,
    iteration: undefined,
    label: labelsOf(plan),
    tellNode,
    workspace: undefined,
  };
  return settled(plan.body, yield* tellNodes(plan.body, here));
}
