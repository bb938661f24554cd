import type { Body, Graph, Plan } from "../plan/plan.ts";
import { labelOf, nodeIn, withoutAttempt } from "./path.ts";

/** Labels of places in run events: their paths, or dotted with indexes from 0. A judge is labelled as its loop. */
export function labelsOf(plan: Plan): (path: string) => string {
  if (plan.naming === undefined) return labelOf;
  const lists = new Set(listsIn(plan.body, "", plan));
  return (path) => {
    if (path.endsWith("!coordinator")) return "coordinator";
    const [, loop] = /^(.*)#\d+\?/.exec(withoutAttempt(path)) ?? [];
    // Among a loop's stops, only the judge has messages.
    if (loop !== undefined) return `${dotted(loop)}.judge`;
    return dotted(path);
  };

  function dotted(path: string): string {
    let place = "";
    const steps = withoutAttempt(path)
      .replace(/[?!].*$/, "")
      .slice(1)
      .split("/");
    const named = steps.map((step) => {
      const [id = "", number] = step.split("#");
      place = nodeIn(place, id);
      if (number === undefined) return id;
      return lists.has(place) ? `${id}[${Number(number) - 1}]` : `${id}.${Number(number) - 1}`;
    });
    return named.join(".");
  }
}

/** The node id that a label or a path names; else the name itself. */
export function stepNamed(name: string): string {
  const steps = name.replaceAll(/\[\d+\]|#\d+/g, "").split(/[./]/);
  return steps.findLast((step) => step !== "" && !/^\d+$/.test(step)) ?? name;
}

/** The paths of all for-each loops, without iteration numbers. */
function* listsIn({ nodes }: Graph, parent: string, plan: Plan): Iterable<string> {
  for (const node of nodes) {
    const place = nodeIn(parent, node.id);
    if (node.kind === "for-each") yield place;
    if (node.kind === "call") yield* inBody(node.call, place, plan);
    if (node.kind === "loop" || node.kind === "for-each") yield* inBody(node.body, place, plan);
  }
}

function* inBody(body: Body, place: string, plan: Plan): Iterable<string> {
  if (body.kind === "graph") yield* listsIn(body, place, plan);
  const child = body.kind === "call" ? plan.workflows[body.workflow] : undefined;
  if (child !== undefined) yield* listsIn(child.body, place, child);
}
