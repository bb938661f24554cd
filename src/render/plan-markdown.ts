import type { Attempts } from "../plan/attempts.ts";
import type { Body, Graph, Node, Plan } from "../plan/plan.ts";
import type { Sequence } from "../plan/sequence.ts";
import { duration } from "../status/format.ts";
import { stops } from "../stops/index.ts";
import { oneLine } from "./escape.ts";

/** A plan as an indented list: what runs, after what, until when. */
export function planText(plan: Plan): string {
  const about = plan.description === undefined ? "" : `: ${plan.description}`;
  return [`${plan.name} (${plan.dialect})${about}`, ...graphLines(plan.body, "  "), ""].join("\n");
}

const graphLines = ({ nodes, walk: sequence }: Graph, indent: string): readonly string[] =>
  nodes.flatMap((node) => {
    const after = node.after.length === 0 ? "" : ` after ${node.after.join(", ")}`;
    const when = node.when === undefined ? "" : ", on a condition";
    const exits = sequence === undefined ? "" : exitsText(node.id, sequence);
    return [
      `${indent}${node.id}  ${describe(node)}${after}${when}${exits}`,
      ...("body" in node ? bodyLines(node.body, `${indent}  `) : []),
    ];
  });

const bodyLines = (body: Body, indent: string): readonly string[] =>
  body.kind === "graph" ? graphLines(body, indent) : [];

function exitsText(id: string, sequence: Sequence): string {
  const exits = exitsFrom(id, sequence).map(
    ({ on, to }) => `${on === "" ? "" : `${on} `}to ${to ?? "the end"}`,
  );
  const begins = sequence.entry === id ? ", first" : "";
  return `${begins}${exits.length === 0 ? "" : `, then ${exits.join(", ")}`}`;
}

function describe(node: Node): string {
  switch (node.kind) {
    case "loop": {
      const ends = node.stops
        .map(({ kind }) => stops[kind].words.until)
        .join(node.mode === "all" ? " and " : " or ");
      const until = ends === "" ? "" : ` until ${ends}`;
      const delay = node.delayMs > 0 ? `, ${duration(node.delayMs)} apart` : "";
      return `loop of ${bodyName(node.body)}, at most ${node.max} iterations${until}${delay}${node.gate ? ", asking a person" : ""}`;
    }
    case "for-each":
      if (node.attempts !== undefined) return attemptsText(node.attempts, node.atMost);
      return `${bodyName(node.body)} for each item, ${node.atMost} at a time`;
    case "call":
      return `workflow ${node.call.workflow}`;
    case "agent":
      return node.judges === undefined ? "agent" : `gate on ${node.judges.node}`;
    case "script":
      return `${node.runtime} script`;
    case "parallel":
      return "side by side";
    default:
      return node.kind;
  }
}

function attemptsText({ by, firstGreen, pick = [] }: Attempts, atMost: number): string {
  const names = by.map(({ agent, model }) => [agent, model].filter(Boolean).join(" ")).filter(Boolean);
  const who = names.length === 0 ? "" : ` by ${names.join(", ")}`;
  return `${by.length} attempts${who}, ${atMost} at a time, ${firstGreen ? "until one is green" : "the best is kept"}${pick.length === 0 ? "" : ` by ${pick.join(", ")}`}`;
}

const bodyName = (body: Body) => (body.kind === "call" ? `workflow ${body.workflow}` : body.kind);

/**
 * A plan as a Mermaid flowchart: a box per node, a frame per loop with a graph as body, a dotted arrow for a
 * condition. Ids are numbers, since an author's ids may be Mermaid keywords.
 */
export function planMermaid(plan: Plan): string {
  const lines = ["flowchart TD"];
  let count = 0;
  const draw = ({ nodes, walk: sequence }: Graph, indent: string) => {
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
    if (sequence !== undefined)
      lines.push(...sequenceArrows({ nodes, sequence, ids }).map((line) => indent + line));
  };
  draw(plan.body, "  ");
  return `${lines.join("\n")}\n`;
}

interface Drawn {
  readonly nodes: Graph["nodes"];
  readonly sequence: Sequence;
  readonly ids: ReadonlyMap<string, string>;
}

/** The arrows of a sequence: its transitions, or from each node to the next in file order. */
function sequenceArrows({ nodes, sequence, ids }: Drawn): readonly string[] {
  return nodes.flatMap((node, index) => {
    const inOrder =
      sequence.next === undefined ? [{ on: "", to: nodes[index + 1]?.id }] : exitsFrom(node.id, sequence);
    return inOrder.flatMap(({ on, to }) => {
      const target = to === undefined ? undefined : ids.get(to);
      const label = on === "" ? "" : `|"${quoted(on)}"|`;
      return target === undefined ? [] : [`${ids.get(node.id)} -->${label} ${target}`];
    });
  });
}

interface Exit {
  /** The exit that it applies to; empty if all. */
  readonly on: string;
  readonly to: string | undefined;
}

function exitsFrom(id: string, { next }: Sequence): readonly Exit[] {
  const { to, byExit = {}, otherwise, onFailure } = next?.[id] ?? {};
  return [
    ...(to === undefined ? [] : [{ on: "", to: to.node }]),
    ...Object.entries(byExit).map(([exit, { node }]) => ({ on: `on ${exit}`, to: node })),
    ...(otherwise === undefined ? [] : [{ on: "otherwise", to: otherwise.node }]),
    ...(onFailure === undefined ? [] : [{ on: "on failure", to: onFailure }]),
  ];
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
  parallel: ["[", "]"],
};

const labelOf = (node: Node) => quoted(`${node.id}: ${describe(node)}`);

/** Quoted text for Mermaid: an author's text cannot be markup or close the quotes. */
const quoted = (text: string) =>
  oneLine(text).replaceAll(/["#&<>`\\]/g, (sign) => `#${sign.codePointAt(0)};`);
