import { listNames, nearestWord } from "../ports/nearest-word.ts";
import type { Fault } from "./diagnostic.ts";

/** A node's place in its graph. */
export interface Linked {
  readonly id: string;
  readonly after: readonly string[];
  /** The position of the node in its document. */
  readonly at: readonly (string | number)[];
}

export interface CheckOptions {
  /** The dialect's key for `after`. */
  readonly afterKey: string;
  /** The dialect's key for `id`, if it is another word. */
  readonly idKey?: string;
  /** Ids of the enclosing graphs: already in use, and not available as dependencies. */
  readonly outer?: (id: string) => boolean;
  /** A hint for a dependency on a node of another graph. */
  readonly elsewhere?: (id: string) => string | undefined;
}

/** The hint for dependencies on a node outside this graph. */
export const adviceOutside = (id: string): string =>
  `\`${id}\` is outside this loop; what the enclosing loop depends on is done before its body starts.`;

/** The hint for dependencies on a node inside a loop's body. */
export const adviceInside = (id: string, loop: string): string =>
  `\`${id}\` is inside \`${loop}\`: depend on that.`;

/** Checks a graph of any dialect: duplicate ids, unknown dependencies, cycles. */
export function checkGraph(nodes: readonly Linked[], options: CheckOptions): readonly Fault[] {
  const { idKey = "id" } = options;
  const byId = new Map<string, Linked>();
  const faults: Fault[] = [];
  for (const node of nodes) {
    const first = byId.get(node.id);
    if (first) faults.push({ ...duplicate(node, "another node", idKey), first: [...first.at, idKey] });
    else if (options.outer?.(node.id)) faults.push(duplicate(node, "a node around this one", idKey));
    if (!byId.has(node.id)) byId.set(node.id, node);
  }
  for (const node of nodes) {
    node.after.forEach((id, index) => {
      if (byId.has(id)) return;
      faults.push(unknown({ node, index, id, options, candidates: hintsFrom(byId, faults) }));
    });
  }
  for (const cycle of cycles(byId)) faults.push(cycleFault(cycle, byId, options.afterKey));
  return faults;
}

const duplicate = ({ id, at }: Linked, taken: string, key: string): Fault => ({
  code: "DUPLICATE_ID",
  message: `The ${key} \`${id}\` belongs to ${taken}.`,
  at: [...at, key],
  hint: "Rename one of them.",
});

interface Unknown {
  readonly node: Linked;
  readonly index: number;
  readonly id: string;
  readonly options: CheckOptions;
  readonly candidates: readonly string[];
}

/** With many errors, the search for similar names is too slow. */
const hintsFrom = (byId: ReadonlyMap<string, Linked>, faults: readonly Fault[]): readonly string[] =>
  faults.length < 50 ? [...byId.keys()].filter(isWritten).slice(0, 1000) : [];

/** False for the name that a node without a usable id gets instead. */
const isWritten = (id: string): boolean => !id.startsWith("#") && id.trim() !== "";

function unknown({ node, index, id, options, candidates }: Unknown): Fault {
  const near = nearestWord(id, candidates);
  const isOuter = options.outer?.(id) ?? false;
  const other = isOuter ? adviceOutside(id) : options.elsewhere?.(id);
  const others = candidates.filter((it) => it !== node.id);
  const hint =
    other ??
    (near && `Did you mean \`${near}\`?`) ??
    listNames("other nodes", others) ??
    "There is no other node: remove it.";
  return {
    code: "UNKNOWN_DEPENDENCY",
    message: `${isWritten(node.id) ? `\`${node.id}\`` : "This node"} depends on \`${id}\`, which is not a node ${isOuter ? "of this body" : "of this graph"}.`,
    at: [...node.at, options.afterKey, index],
    ...(hint ? { hint } : {}),
  };
}

function cycleFault(cycle: readonly string[], byId: ReadonlyMap<string, Linked>, afterKey: string): Fault {
  const [first = ""] = cycle;
  const names = cycle.length > 10 ? [...cycle.slice(0, 9), "…"] : cycle;
  const path = [...names, first].join(" → ");
  const at = byId.get(first)?.at ?? [];
  const message = `These nodes wait for each other: ${path}.`;
  return {
    code: "CYCLE",
    message,
    at: [...at, afterKey],
    hint: `Remove one of these from its \`${afterKey}\`.`,
  };
}

/** One cycle for each strongly connected component, as ids in dependency order, from the first in file order. */
function cycles(byId: ReadonlyMap<string, Linked>): readonly (readonly string[])[] {
  const settled = new Set<string>();
  const all: (readonly string[])[] = [];
  for (const start of byId.keys()) {
    if (settled.has(start)) continue;
    if (byId.get(start)?.after.every((id) => settled.has(id) || !byId.has(id))) {
      settled.add(start);
      continue;
    }
    const cycle = findCycle(start, (id) => byId.get(id)?.after.filter((it) => byId.has(it)) ?? [], settled);
    if (cycle) all.push(firstInFile(cycle, byId));
  }
  return all;
}

/**
 * The first cycle that can be reached from an id; `settled` collects the ids that are in none. Uses an explicit stack:
 * a chain may be longer than the call stack allows.
 */
export function findCycle(
  start: string,
  next: (id: string) => readonly string[],
  settled: Set<string>,
): readonly string[] | undefined {
  const path = [{ id: start, next: next(start), at: 0 }];
  const open = new Map([[start, 0]]);
  let cycle: readonly string[] | undefined;
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const id = top.next[top.at++];
    if (id === undefined) {
      settled.add(top.id);
      open.delete(top.id);
      path.pop();
      continue;
    }
    const from = open.get(id);
    if (from !== undefined) cycle ??= path.slice(from).map((step) => step.id);
    if (from !== undefined || settled.has(id)) continue;
    open.set(id, path.length);
    path.push({ id, next: next(id), at: 0 });
  }
  return cycle;
}

function firstInFile(cycle: readonly string[], byId: ReadonlyMap<string, Linked>): readonly string[] {
  const members = new Set(cycle);
  const first = [...byId.keys()].find((id) => members.has(id)) ?? "";
  const from = cycle.indexOf(first);
  return [...cycle.slice(from), ...cycle.slice(0, from)];
}
