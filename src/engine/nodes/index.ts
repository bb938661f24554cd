/**
 * The kinds of node: one file each, one line here.
 * @module
 */
import type { Node, Plan } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { RunSettings } from "../log-events.ts";
import { labelsOf } from "../node-labels.ts";
import type { Operation } from "../operation.ts";
import type { Outcome } from "../outcome.ts";
import { agent } from "./agent.ts";
import { approval } from "./approval.ts";
import { call } from "./call-workflow.ts";
import { cancel } from "./cancel.ts";
import { forEach } from "./for-each.ts";
import { effectiveOutcomes } from "./graph-outcome.ts";
import { loop } from "./loop.ts";
import type { NodeOperation } from "./node.ts";
import { parallel } from "./parallel.ts";
import { runWatched } from "./read-only.ts";
import { requireEvidence } from "./require-evidence.ts";
import { script } from "./script.ts";
import { runSequence } from "./sequence.ts";
import { shell } from "./shell.ts";

const operations: { readonly [K in Node["kind"]]: NodeOperation<K> } = {
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

const runNode = (node: Node, context: ExecutionContext): Operation<Outcome> =>
  runWatched(node, context, (inside) => operations[node.kind](node as never, inside));

/** Runs a whole plan. */
export function* runPlan(plan: Plan, facts: RunSettings): Operation<Outcome> {
  const context: ExecutionContext = {
    path: "",
    plan,
    facts,
    budget: plan.budget,
    message: facts.message,
    inputs: facts.inputs,
    outcome: () => undefined,
    published: () => undefined,
    frame: undefined,
    iteration: undefined,
    label: labelsOf(plan),
    runNode,
    activity: { running: 0, started: 0 },
    noticed: new Set(),
    workspace: undefined,
  };
  const outcome = effectiveOutcomes(plan.body, yield* runSequence(plan.body, context));
  return yield* requireEvidence(outcome, context);
}
