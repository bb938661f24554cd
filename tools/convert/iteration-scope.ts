import type { Reference } from "../../src/expressions/template.ts";
import type { Graph, LoopNode, Node, Plan } from "../../src/plan/plan.ts";
import type { Sequence } from "../../src/plan/sequence.ts";
import { mayLeaveBy } from "./exit-conditions.ts";
import type { CodeOf, Datum } from "./program.ts";
import { reportGap, type WriterPosition } from "./writer-context.ts";

/** What nodes at one place can read of the scope that they shared. */
export interface Level {
  readonly position: WriterPosition;
  readonly codeOf: CodeOf;
  readonly outputs: ReadonlyMap<string, Datum>;
  readonly memory: ReadonlyMap<string, Datum>;
  /** Why nodes here cannot read outputs of the previous iteration; `undefined` if they can. */
  readonly noPrevious: string | undefined;
}

/** The memory of a plan: its inputs, and names that cannot be read, with the reason. */
export const remembered = (plan: Plan): ReadonlyMap<string, Datum> =>
  new Map<string, Datum>([
    ...leftBehind(plan.body).map((name) => [name, { because: readsLoopResult(name) }] as const),
    ...Object.keys(plan.inputs).map((name) => [name, { ref: "input", name } as const] as const),
  ]);

const readsLoopResult = (name: string) => `It reads \`${name}\`, which loops or retries leave behind.`;

/** The names that loops and retries of a graph store in the memory. */
const leftBehind = ({ nodes }: Graph): readonly string[] =>
  nodes.flatMap((node) => [
    ...(node.retry?.leaves === undefined ? [] : [node.retry.leaves.name]),
    ...(node.kind === "loop" ? remarksOf(node) : []),
    ...("body" in node && node.body.kind === "graph" ? leftBehind(node.body) : []),
  ]);

const remarksOf = ({ counts, carry, ending }: LoopNode) =>
  [counts, carry?.as, ending?.remark.name].filter((name) => name !== undefined);

/** True if a node may end the iteration before the last node has run. */
export const isCut = (nodes: readonly Node[], { leaveOn = [] }: Sequence = {}): boolean =>
  nodes.slice(0, -1).some((node) => leaveOn.some((exit) => mayLeaveBy(node, exit)));

interface Neighbours {
  readonly nodes: readonly Node[];
  /** Nodes that have certainly ended. */
  readonly before: ReadonlySet<string>;
}

/** The names by which a node reads other nodes' outputs, of this iteration or the previous one. */
export function outputsFor(
  self: Node,
  { nodes, before }: Neighbours,
  { outputs: outer, noPrevious }: Level,
): ReadonlyMap<string, Datum> {
  const several = (name: string): Datum => ({
    because: `It reads \`${name}\`, which runs at several places.`,
  });
  const own = new Map<string, Datum>();
  for (const node of nodes)
    for (const [name, datum] of outputsOf(node, { self, isDone: before.has(node.id), noPrevious }))
      own.set(name, own.has(name) ? several(name) : datum);
  const outputs = new Map(outer);
  for (const [name, datum] of own) {
    const isNewest = "ref" in datum && datum.ref === "output";
    outputs.set(name, outer.has(name) && !isNewest ? several(name) : datum);
  }
  return outputs;
}

interface Seen {
  /** The node that reads. */
  readonly self: Node;
  readonly isDone: boolean;
  readonly noPrevious: string | undefined;
}

function outputsOf(node: Node, { self, isDone, noPrevious }: Seen): Named {
  const { id } = node;
  if (node.kind === "loop") {
    const own = [id, { because: readsIterations(id) }] as const;
    return node === self ? [own] : [own, ...innerOutputs(node, isDone)];
  }
  if (node.kind === "parallel") {
    const because = `It reads \`${id}\`, in which several souls work side by side.`;
    return [id, ...node.body.nodes.map((inner) => `${id}.${inner.id}`)].map((name) => [name, { because }]);
  }
  if (isDone) return [[id, { ref: "output", node: id }]];
  if (noPrevious === undefined) return [[id, { ref: "previous", node: id }]];
  return [[id, { because: `It reads \`${id}\`, ${noPrevious}.` }]];
}

const readsIterations = (id: string) =>
  `It reads \`${id}\`: the output of a native loop is that of its last node, not a record of its iterations.`;

type Named = readonly (readonly [name: string, datum: Datum])[];

function innerOutputs(loop: LoopNode, isDone: boolean): Named {
  if (loop.body.kind !== "graph") return [];
  const { nodes, walk: sequence } = loop.body;
  const last = isCut(nodes, sequence) ? undefined : nodes.at(-1);
  return nodes.flatMap((node): Named => {
    const hidden = {
      because: `It reads \`${node.id}\`, which only the loop \`${loop.id}\` around that knows.`,
    };
    if (node.kind === "loop")
      return [[node.id, { because: readsIterations(node.id) }], ...innerOutputs(node, false)];
    return [[node.id, isDone && node === last ? { ref: "output", node: loop.id } : hidden]];
  });
}

/** Converts a reference into the shared scope to one to a node, the iteration or an input. */
export function inGraph(reference: Reference, level: Level): Reference {
  if (reference.ref !== "shared") return reference;
  const { of, name, way } = reference;
  const found = level[of].get(name) ?? { because: readsLoopResult(name) };
  if ("because" in found) {
    reportGap(level.position, found.because);
    return instead;
  }
  const [field, further] = way;
  if (field === undefined) return found;
  if (further !== undefined || !("node" in found)) {
    const path = [name, ...way].join(".");
    reportGap(level.position, `It reads ${path}: a text in a native file names one field of an output.`);
    return instead;
  }
  level.position.writer.notes.add(
    "A prompt that reads a field fails if the output does not have that field.",
  );
  return { ...found, field };
}

/** A placeholder after an error has been reported. */
const instead: Reference = { ref: "value", name: "USER_MESSAGE" };
