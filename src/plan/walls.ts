import type { WallSettings } from "../ports/isolation.ts";
import type { Body, Graph, Node, Plan } from "./plan.ts";

/** The workflow's isolation settings for an effect. For each setting, the innermost value counts. */
export function wallsAt(plan: Plan, path: string, { isCheck }: { readonly isCheck: boolean }): WallSettings {
  let walls: WallSettings = plan.walls ?? {};
  let context: NodeContext = { plan, graph: plan.body };
  for (const id of idsIn(path)) {
    const node = context.graph?.nodes.find((one) => one.id === id);
    if (node === undefined) break;
    walls = { ...walls, ...node.walls };
    context = within(context.plan, node);
    walls = { ...walls, ...(context.plan.body === context.graph ? context.plan.walls : undefined) };
    if (isCheck && node.kind === "loop") walls = { ...walls, ...node.checkWalls };
  }
  return walls;
}

interface NodeContext {
  readonly plan: Plan;
  readonly graph: Graph | undefined;
}

/** The ids of nodes in an effect's path, outermost first. */
const idsIn = (path: string) =>
  path
    .split("/")
    .slice(1)
    .map((part) => part.replace(/[#?!~].*$/s, ""));

function within(plan: Plan, node: Node): NodeContext {
  if (node.kind === "call") return called(plan, node.call);
  const body =
    node.kind === "loop" || node.kind === "for-each" || node.kind === "parallel" ? node.body : undefined;
  if (body === undefined) return { plan, graph: undefined };
  return body.kind === "call"
    ? called(plan, body)
    : { plan, graph: body.kind === "graph" ? body : undefined };
}

function called(plan: Plan, { workflow }: Extract<Body, { kind: "call" }>): NodeContext {
  const target = plan.workflows[workflow];
  return target === undefined ? { plan, graph: undefined } : { plan: target, graph: target.body };
}
