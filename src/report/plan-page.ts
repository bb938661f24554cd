import type { Body, Graph, Node, Plan } from "../plan/plan.ts";
import { oneLine } from "./escape.ts";
import { duration } from "./words.ts";

/** A plan as an indented list: what runs, after what, until when. */
export function planText(plan: Plan): string {
  const about = plan.description === undefined ? "" : `: ${plan.description}`;
  return [`${plan.name} (${plan.dialect})${about}`, ...graphLines(plan.body, "  "), ""].join("\n");
}

const graphLines = ({ nodes }: Graph, indent: string): readonly string[] =>
  nodes.flatMap((node) => {
    const after = node.after.length === 0 ? "" : ` after ${node.after.join(", ")}`;
    const when = node.when === undefined ? "" : ", on a condition";
    return [
      `${indent}${node.id}  ${describe(node)}${after}${when}`,
      ...("body" in node ? bodyLines(node.body, `${indent}  `) : []),
    ];
  });

const bodyLines = (body: Body, indent: string): readonly string[] =>
  body.kind === "graph" ? graphLines(body, indent) : [];

function describe(node: Node): string {
  switch (node.kind) {
    case "loop": {
      const stops = node.stops.map(({ kind }) => kind).join(node.mode === "all" ? " and " : " or ");
      const until = stops === "" ? "" : ` until ${stops}`;
      const delay = node.delayMs > 0 ? `, ${duration(node.delayMs)} apart` : "";
      return `loop of ${bodyName(node.body)}, at most ${node.max} times${until}${delay}${node.gate ? ", asking a person" : ""}`;
    }
    case "for-each":
      return `${bodyName(node.body)} for each item, ${node.atMost} at a time`;
    case "call":
      return `workflow ${node.call.workflow}`;
    case "script":
      return `${node.runtime} script`;
    default:
      return node.kind;
  }
}

const bodyName = (body: Body) => (body.kind === "call" ? `workflow ${body.workflow}` : body.kind);

/**
 * A plan as a Mermaid flowchart: a box for each node, a frame for each loop with a body of nodes, a dotted arrow where a
 * condition decides. Ids are numbered, since an author's may mean something to Mermaid.
 */
export function planMermaid(plan: Plan): string {
  const lines = ["flowchart TD"];
  let count = 0;
  const draw = ({ nodes }: Graph, indent: string) => {
    const ids = new Map(nodes.map(({ id }) => [id, `n${++count}`]));
    for (const node of nodes) {
      const id = ids.get(node.id) ?? "";
      if ("body" in node && node.body.kind === "graph") {
        lines.push(`${indent}subgraph ${id}["${labelOf(node)}"]`);
        draw(node.body, `${indent}  `);
        lines.push(`${indent}end`);
      } else {
        const [open, close] = boxes[node.kind];
        lines.push(`${indent}${id}${open}"${labelOf(node)}"${close}`);
      }
      const arrow = node.when === undefined ? "-->" : "-.->";
      for (const before of node.after) lines.push(`${indent}${ids.get(before) ?? before} ${arrow} ${id}`);
    }
  };
  draw(plan.body, "  ");
  return `${lines.join("\n")}\n`;
}

const boxes: Readonly<Record<Node["kind"], readonly [open: string, close: string]>> = {
  agent: ["[", "]"],
  shell: ["[/", "/]"],
  script: ["[/", "/]"],
  approval: ["{{", "}}"],
  loop: ["([", "])"],
  "for-each": ["([", "])"],
  call: ["[[", "]]"],
  cancel: ["((", "))"],
};

/** A label between quotes: what an author wrote is neither markup nor the end of it. */
const labelOf = (node: Node) =>
  oneLine(`${node.id}: ${describe(node)}`).replaceAll(/["#&<>`\\]/g, (sign) => `#${sign.codePointAt(0)};`);
