import { isMapping, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { type Block, openBlock, withCommands } from "./included-block.ts";
import type { ExpandedNode, ReaderContext } from "./reader-context.ts";
import { type Rewrite, rewriteNode, rewriter } from "./rewrite-references.ts";

type Mapping = Readonly<Record<string, unknown>>;

interface Expanded {
  readonly nodes: readonly unknown[];
  /** For each node that included a workflow: the id of the node that provides its output. */
  readonly outputs: ReadonlyMap<string, string>;
}

/**
 * Replaces nodes that include workflows by the nodes of those workflows, in this list and in the bodies of its loops.
 * Node `n` of the workflow that `x` includes becomes `x__n`.
 */
export function expandIncludes(reader: ReaderContext, nodes: readonly unknown[], at: SourcePath): Expanded {
  if (!nodes.some(hasInclude)) return { nodes, outputs: new Map() };
  const expanded = expandList(reader, { nodes, at }, { stack: [], count: { value: 0 } });
  return { nodes: noted(reader, expanded.nodes), outputs: outputsOf(expanded.blocks) };
}

/** Archon allows three levels. */
const maxDepth = 5;
const maxIncludes = 200;

const hasInclude = (node: unknown): boolean =>
  isMapping(node) && (Object.hasOwn(node, "include") || bodyOf(node)?.nodes.some(hasInclude) === true);

function bodyOf(node: Mapping) {
  for (const key of ["loop", "loop_group"]) {
    const loop = node[key];
    if (!isMapping(loop)) continue;
    const { nodes, ...own } = loop;
    if (Array.isArray(nodes)) return { key, own, nodes: nodes as readonly unknown[] };
  }
  return undefined;
}

interface Scope {
  /** The chain of including files. */
  readonly stack: readonly string[];
  readonly count: { value: number };
}

interface NodeList {
  readonly nodes: readonly unknown[];
  readonly at: SourcePath;
}

interface ExpandedList {
  readonly nodes: readonly ExpandedNode[];
  /** What replaces a node that includes something. */
  readonly blocks: ReadonlyMap<string, Block>;
}

interface IncludeSource {
  readonly at: SourcePath;
  readonly scope: Scope;
}

function expandList(reader: ReaderContext, { nodes, at }: NodeList, scope: Scope): ExpandedList {
  const blocks = new Map<string, Block>();
  const all = nodes.flatMap((node, index): readonly ExpandedNode[] => {
    const place = [...at, index];
    if (!isMapping(node)) return [{ node, at: place, reader }];
    if (Object.hasOwn(node, "include") && Object.hasOwn(node, "fan_out"))
      return [{ node: calledForEach(reader, node, place), at: place, reader }];
    if (!Object.hasOwn(node, "include"))
      return [{ node: expandBody(reader, node, { at: place, scope }), at: place, reader }];
    const id = String(node["id"]);
    const block = expandOne(reader, node, { at: place, scope }) ?? { nodes: [], sinks: [], output: id };
    blocks.set(id, block);
    return block.nodes;
  });
  return { nodes: blocks.size === 0 ? all : all.map((one) => linked(one, blocks)), blocks };
}

/** The number of items is known only at run time, so each item calls the workflow, whose inputs must accept it. */
function calledForEach(reader: ReaderContext, { include, ...node }: Mapping, at: SourcePath): Mapping {
  const { fan_out: fanOut } = node;
  if (isMapping(fanOut) && !Object.hasOwn(fanOut, "as")) {
    const message = "`fan_out` on a node that includes a workflow needs `as`: the input that gets the item.";
    reportFault(reader, "BAD_VALUE", { message, at: [...at, "fan_out"], onKey: true });
  }
  return { ...node, workflow: include };
}

/** A loop whose body includes something. Its own texts can also read that output. */
function expandBody(reader: ReaderContext, node: Mapping, { at, scope }: IncludeSource): Mapping {
  const body = bodyOf(node);
  if (body === undefined || !body.nodes.some(hasInclude)) return node;
  const { key, own } = body;
  const { nodes, blocks } = expandList(reader, { nodes: body.nodes, at: [...at, key, "nodes"] }, scope);
  const loop = rewriteNode(own, rewriter({ outputs: outputsOf(blocks) }));
  return { ...node, [key]: { ...loop, nodes: noted(reader, nodes) } };
}

function expandOne(reader: ReaderContext, node: Mapping, { at, scope }: IncludeSource): Block | undefined {
  const { stack, count } = scope;
  count.value += 1;
  if (count.value <= maxIncludes && stack.length < maxDepth)
    return openBlock(reader, { node, at, stack }, (inner, nodes, stack) =>
      expandList(inner, { nodes, at: [...at, "include"] }, { stack, count }),
    );
  const message = `Workflows include each other at most ${maxDepth} deep, and ${maxIncludes} in all.`;
  return reportFault(reader, "LIMIT", { message, at: [...at, "include"] });
}

/** A node in a list that includes workflows: it waits for their last nodes, and reads their output by its own id. */
function linked({ node, at, reader }: ExpandedNode, blocks: ReadonlyMap<string, Block>): ExpandedNode {
  if (!isMapping(node)) return { node, at, reader };
  const rewrite: Rewrite = rewriter({ outputs: outputsOf(blocks) });
  const { origins } = reader;
  const moved = (before: Mapping, now: Mapping) => {
    const origin = origins.get(before);
    if (origin !== undefined) origins.set(now, { ...origin, reader: withCommands(origin.reader, rewrite) });
  };
  const now = rewriteNode(node, { ...rewrite, moved });
  const after = now["depends_on"];
  return {
    at,
    reader: withCommands(reader, rewrite),
    node: Array.isArray(after)
      ? { ...now, depends_on: after.flatMap((id) => blocks.get(String(id))?.sinks ?? [id]) }
      : now,
  };
}

const outputsOf = (blocks: ReadonlyMap<string, Block>) =>
  new Map([...blocks].map(([id, block]) => [id, block.output]));

/** The nodes, with the file and the context in which each is read. */
function noted(reader: ReaderContext, nodes: readonly ExpandedNode[]): readonly unknown[] {
  for (const one of nodes) if (isMapping(one.node)) reader.origins.set(one.node, one);
  return nodes.map(({ node }) => node);
}
