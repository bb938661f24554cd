import type { Graph, Node, Plan } from "../plan/plan.ts";
import { stepNamed } from "./node-labels.ts";
import type { RunEventBody } from "./run-events.ts";
import type { MutableRunTotals } from "./run-totals.ts";

interface Message {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Messages between steps and people. Emits an event when a message is sent, and another one if it stays unread. */
export interface MessageDelivery {
  send(message: Message): void;
  /** Learns from run events which steps are running. */
  follow(event: RunEventBody): void;
  /** Reports every unread message. */
  close(): void;
}

/** The names by which agents address the people who read the run events and the report. */
const people: ReadonlySet<string> = new Set(["coordinator", "people", "user"]);

export function createMessageDelivery(
  plan: Plan,
  { totals, emit }: { readonly totals: MutableRunTotals; emit(event: RunEventBody): void },
): MessageDelivery {
  const nodes = new Map([...nodesIn(plan)].map((node) => [node.id, node]));
  const running = new Map<string, string>();
  const ended = new Set<string>();
  const drop = (message: Message, reason: string) => emit({ type: "message.dropped", ...message, reason });

  function whyUndeliverable(to: string): string | undefined {
    if (ended.has(to)) return `${to} has ended`;
    const node = nodes.get(stepNamed(to));
    if (node === undefined) return `there is no step ${to}`;
    if (to === node.id && isContainer(node)) return `${to} accepts no messages: name a step inside it`;
    const candidates = [...running].flatMap(([label, id]) => (id === to && label !== to ? [label] : []));
    return candidates.length > 1 ? `${to} may be any of ${candidates.join(", ")}` : undefined;
  }

  return {
    send(message) {
      const { from, to, text } = message;
      emit({ type: "message.sent", from, to, text });
      if (people.has(to) && !nodes.has(to)) return;
      const reason = whyUndeliverable(to);
      if (reason === undefined) totals.queueMessage(to, { from, text });
      else drop(message, reason);
    },
    follow(event) {
      if (event.type === "node.started") {
        running.set(event.label, event.node);
        ended.delete(event.label);
      }
      if (event.type !== "node.ended") return;
      const to = event.label;
      running.delete(to);
      ended.add(to);
      for (const message of totals.takeMessages([to])) drop({ to, ...message }, `${to} has ended`);
    },
    close() {
      for (const message of totals.undelivered()) drop(message, "the run has ended");
    },
  };
}

/** True if a node does not call an agent itself but contains nodes that do. */
const isContainer = (node: Node): boolean =>
  node.kind === "call" || ("body" in node && node.body.kind !== "agent");

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
