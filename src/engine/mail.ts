import type { Graph, Node, Plan } from "../plan/plan.ts";
import { stepNamed } from "./label.ts";
import type { OpenLedger } from "./ledger.ts";
import type { Told } from "./told.ts";

interface Letter {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** Messages between steps and people: each is told of when it is sent, and again when nobody will read it. */
export interface Mail {
  send(letter: Letter): void;
  /** Learns which steps are at work from what is told. */
  follow(event: Told): void;
  /** Tells of every message that nobody has read. */
  close(): void;
}

/** Who reads the events and the report, by the names agents know them under. */
const people: ReadonlySet<string> = new Set(["coordinator", "people", "user"]);

export function openMail(
  plan: Plan,
  { ledger, tell }: { readonly ledger: OpenLedger; tell(told: Told): void },
): Mail {
  const nodes = new Map([...nodesIn(plan)].map((node) => [node.id, node]));
  const atWork = new Map<string, string>();
  const ended = new Set<string>();
  const drop = (letter: Letter, reason: string) => tell({ type: "message.dropped", ...letter, reason });

  function whyUnread(to: string): string | undefined {
    if (ended.has(to)) return `${to} has ended`;
    const node = nodes.get(stepNamed(to));
    if (node === undefined) return `there is no step ${to}`;
    if (to === node.id && wraps(node)) return `${to} reads nothing itself: name a step in it`;
    const candidates = [...atWork].flatMap(([label, id]) => (id === to && label !== to ? [label] : []));
    return candidates.length > 1 ? `${to} may be any of ${candidates.join(", ")}` : undefined;
  }

  return {
    send(letter) {
      const { from, to, text } = letter;
      tell({ type: "message.sent", from, to, text });
      if (people.has(to) && !nodes.has(to)) return;
      const reason = whyUnread(to);
      if (reason === undefined) ledger.post(to, { from, text });
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
      for (const message of ledger.takeMessages([to])) drop({ to, ...message }, `${to} has ended`);
    },
    close() {
      for (const message of ledger.undelivered()) drop(message, "the run has ended");
    },
  };
}

/** Whether a node asks no agent itself but holds nodes that do. */
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
