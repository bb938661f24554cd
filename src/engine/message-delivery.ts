import type { Graph, Node, Plan } from "../plan/plan.ts";
import { stepNamed } from "./node-labels.ts";
import type { RunEventBody } from "./run-events.ts";
import type { MutableRunTotals } from "./run-totals.ts";

interface Letter {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Messages between steps and people. Each is reported when it is sent, and again if it will not be read. */
export interface MessageDelivery {
  send(letter: Letter): void;
  /** Learns from run events which steps are running. */
  follow(event: RunEventBody): void;
  /** Reports every unread message. */
  close(): void;
}

/** Who reads the run events and the report, by the names agents use for them. */
const people: ReadonlySet<string> = new Set(["coordinator", "people", "user"]);

export function createMessageDelivery(
  plan: Plan,
  { totals, emit: tell }: { readonly totals: MutableRunTotals; emit(event: RunEventBody): void },
): MessageDelivery {
  const nodes = new Map([...nodesIn(plan)].map((node) => [node.id, node]));
  const atWork = new Map<string, string>();
  const ended = new Set<string>();
  const drop = (letter: Letter, reason: string) => tell({ type: "message.dropped", ...letter, reason });

  function whyUnread(to: string): string | undefined {
    if (ended.has(to)) return `${to} has ended`;
    const node = nodes.get(stepNamed(to));
    if (node === undefined) return `there is no step ${to}`;
    if (to === node.id && wraps(node)) return `${to} takes no messages itself: name a step inside it`;
    const candidates = [...atWork].flatMap(([label, id]) => (id === to && label !== to ? [label] : []));
    return candidates.length > 1 ? `${to} may be any of ${candidates.join(", ")}` : undefined;
  }

  return {
    send(letter) {
      const { from, to, text } = letter;
      tell({ type: "message.sent", from, to, text });
      if (people.has(to) && !nodes.has(to)) return;
      const reason = whyUnread(to);
      if (reason === undefined) totals.post(to, { from, text });
      else drop(letter, reason);
    },
    follow(event) {
      if (event.type === "node.started") {
        atWork.set(event.label, event.node);
        ended.delete(event.label);
      }
      if (event.type !== "node.ended") return;
      const to = event.label;
      atWork.delete(to);
      ended.add(to);
      for (const message of totals.takeMessages([to])) drop({ to, ...message }, `${to} has ended`);
    },
    close() {
      for (const message of totals.undelivered()) drop(message, "the run has ended");
    },
  };
}

/** True if a node does not call an agent itself but contains nodes that do. */
const wraps = (node: Node): boolean => node.kind === "call" || ("body" in node && node.body.kind !== "agent");

function* nodesIn({ body, workflows }: Plan): Iterable<Node> {
  for (const child of Object.values(workflows)) yield* nodesIn(child);
  yield* inGraph(body);
}

function* inGraph({ nodes }: Graph): Iterable<Node> {
  for (const node of nodes) {
    if ("body" in node && node.body.kind === "graph") yield* inGraph(node.body);
    yield node;
  }
}
