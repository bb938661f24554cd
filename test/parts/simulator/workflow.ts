import type { Plan } from "../../../src/plan/plan.ts";
import { withLazyModules } from "../../../src/ports/lazy-module.ts";
import { fc } from "../random.ts";
import { randomWorkflow } from "../random-workflow.ts";
import { planOf } from "../stage.ts";
import { roll } from "./sim.ts";

/** The parts that can be left out of a history: nodes of its workflow, actors, and faults. */
export const partsOf = (seed: number): readonly string[] => [
  ...[
    "cancel",
    "teller",
    "app",
    "another",
    "worst moment",
    "faults",
    "disks",
    "power",
    "twin",
    "second machine",
  ],
  ...Array.from({ length: mostKills }, (_, at) => `kill ${at + 1}`),
  ...nodesOf(workflowOf(seed)).map(({ id }) => `node ${id}`),
];

export const mostKills = 6;

const nodesOf = (source: string): readonly { readonly id: string; depends_on?: string[] }[] =>
  JSON.parse(source).nodes ?? [];

/** A workflow without some of its nodes, and without dependencies on them. */
function without(source: string, left: ReadonlySet<string>): string {
  const all = nodesOf(source);
  const nodes = all.filter(({ id }) => !left.has(`node ${id}`));
  for (const node of nodes)
    if (node.depends_on) node.depends_on = node.depends_on.filter((id) => !left.has(`node ${id}`));
  return nodes.length === all.length ? source : JSON.stringify({ ...JSON.parse(source), nodes });
}

/** No retries, because the world cannot tell them from first calls. Most have gates, so that people decide too. */
export const workflowOf = (seed: number): string => {
  const [source = "{}"] = fc.sample(randomWorkflow, { seed, numRuns: 1 });
  const once = (key: string, value: unknown) => {
    if (key === "retry" || key === "retries") return undefined;
    return key === "on_error" && value === "retry" ? "continue" : value;
  };
  const workflow = JSON.parse(source, once);
  for (let gate = roll(`gates ${seed}`) % 4; gate > 0; gate -= 1)
    workflow.nodes.push(
      { id: `gate${gate}`, approval: { message: "sure?" } },
      { id: `after${gate}`, prompt: "go on", depends_on: [`gate${gate}`] },
    );
  return JSON.stringify(workflow);
};

/** The last compiled workflow: a history and its undisturbed run use the same one. */
let compiled: { readonly source: string; readonly plan: Plan } | undefined;

export async function planFor(seed: number, left: ReadonlySet<string>): Promise<Plan> {
  const source = without(workflowOf(seed), left);
  if (compiled?.source !== source) compiled = { source, plan: await withLazyModules(() => planOf(source)) };
  return compiled.plan;
}
