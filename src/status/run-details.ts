import type { NodeStatus, RunEvent } from "../engine/run-events.ts";
import { truncate } from "./format.ts";

/** Details of a run beyond its summary: messages, outputs, and when nodes ran. */
export interface RunDetails {
  /** By the path of the iteration, such as `/fix#2`. */
  readonly iterations: ReadonlyMap<string, IterationDetails>;
  /** In the order in which they started; at most 200. */
  readonly nodes: readonly NodeTime[];
}

export interface IterationDetails {
  /** The agent's final message. */
  readonly reply: string;
  /** The end of the check's output. */
  readonly tail: string;
}

export interface NodeTime {
  readonly path: string;
  readonly label: string;
  readonly status: NodeStatus | "running";
  /** In milliseconds since the start of the run. */
  readonly from: number;
  readonly to: number;
}

const mostNodes = 200;
const mostText = 8_000;

export function collectDetails(events: readonly RunEvent[]): RunDetails {
  const iterations = new Map<string, IterationDetails>();
  const nodes = new Map<string, NodeTime>();
  const begin = Date.parse(events[0]?.at ?? "");
  for (const event of events) {
    noteIteration(iterations, event);
    noteNode(nodes, event, Date.parse(event.at) - begin);
  }
  const last = Date.parse(events.at(-1)?.at ?? "") - begin;
  const ended = [...nodes.values()].map((node) => (node.status === "running" ? { ...node, to: last } : node));
  return { iterations, nodes: ended };
}

function noteIteration(iterations: Map<string, IterationDetails>, event: RunEvent): void {
  const note = (path: string, more: Partial<IterationDetails>) =>
    iterations.set(path, { reply: "", tail: "", ...iterations.get(path), ...more });
  if (event.type === "iteration.ended" && event.output.trim() !== "")
    note(event.path, { reply: truncate(event.output.trim(), mostText) });
  if (event.type === "stop.tested" && event.tail !== undefined)
    note(event.path.replace(/\?[^?/]*$/, ""), { tail: event.tail.trimEnd().slice(-mostText).toWellFormed() });
}

function noteNode(nodes: Map<string, NodeTime>, event: RunEvent, now: number): void {
  if (event.type === "node.started" && nodes.size < mostNodes)
    nodes.set(event.path, { path: event.path, label: event.label, status: "running", from: now, to: now });
  if (event.type !== "node.ended") return;
  const node = nodes.get(event.path);
  if (node !== undefined) nodes.set(event.path, { ...node, status: event.status, to: now });
}
