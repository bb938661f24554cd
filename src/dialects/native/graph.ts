import { checkGraph } from "../../plan/check.ts";
import { reachOf } from "../../plan/reachability.ts";
import { isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { readId } from "../read-id.ts";
import { reportFault } from "../report-fault.ts";
import { ignoredInNode } from "./ignored-keys.ts";
import { earlierIn, inTurns, withConversations } from "./layers.ts";
import type { DeclaredFields, Names } from "./names-in-scope.ts";
import { readNode } from "./node.ts";
import type { RawNode } from "./raw-node.ts";
import type { EnclosingContext, GraphSource, ReaderContext, ReadGraph } from "./reader-context.ts";
import { loopFields, nodeFields } from "./schema.ts";

const maxNodes = 20_000;
const maxAccumulated = 200;

/** Reads a list of nodes, each separately, and checks their dependencies. */
export function readGraph(reader: ReaderContext, { nodes, at, enclosing }: GraphSource): ReadGraph {
  reader.count += nodes.length;
  if (reader.count > maxNodes) {
    reportFault(reader, "LIMIT", { message: `The file has more than ${maxNodes} nodes.`, at });
    return nothing(reader);
  }
  const drafts = nodes.flatMap((node, index) => readRawNode(reader, node, [...at, index]) ?? []);
  reader.faults.push(...checkGraph(drafts, { afterKey: "depends_on", outer: enclosing.outer }));
  const ids = new Set(drafts.map(({ id }) => id));
  if (drafts.filter((it) => accumulated(it) !== undefined).length > maxAccumulated) {
    reportFault(reader, "LIMIT", { message: `More than ${maxAccumulated} loops accumulate.`, at });
    return nothing(reader);
  }
  const isLayered = reader.files.isArchons === true;
  const namesFor = namesOf(drafts, { ids, enclosing, isLayered });
  const inside: EnclosingContext = { ...enclosing, outer: (id) => ids.has(id) || enclosing.outer(id) };
  const read = drafts.flatMap((it) => {
    const behind = new Set<string>();
    const node = readNode(it.reader, it, { names: namesFor(it, behind), enclosing: inside });
    return node === undefined ? [] : [behind.size === 0 ? node : { ...node, behind: [...behind] }];
  });
  const threaded = withConversations(read, contextsOf(reader, drafts));
  return {
    graph: { kind: "graph", nodes: inTurns(threaded), atMost: reader.atMost },
    ids,
    fields: declaredIn(drafts),
  };
}

/** The conversation that each node requests: a fresh one, or another node's. */
function contextsOf(
  reader: ReaderContext,
  drafts: readonly RawNode[],
): ReadonlyMap<string, readonly string[]> {
  const reachable = reachOf(drafts);
  return new Map(
    drafts.flatMap(({ id, at, fields: { context } }) => {
      if (context === undefined || context === "shared") return [];
      if (context === "fresh") return [[id, []]];
      if (!reachable(id, context.resume)) {
        const message = `\`${context.resume}\` does not end before this node, so its conversation cannot continue here.`;
        const hint = `Add depends_on: [${context.resume}].`;
        reportFault(reader, "UNKNOWN_REFERENCE", { message, at: [...at, "context", "resume"], hint });
      }
      return [[id, [context.resume]]];
    }),
  );
}

/**
 * The fields that nodes declare for their answers. As in Archon, others are unknown unless the format allows them.
 */
function declaredIn(drafts: readonly RawNode[]): ReadonlyMap<string, DeclaredFields> {
  return new Map(
    drafts.flatMap(({ id, fields: { output_format: format = {} } }) => {
      const { properties, patternProperties, additionalProperties = false } = format;
      if (!isMapping(properties) || combining.some((key) => Object.hasOwn(format, key))) return [];
      const names = Object.keys(properties);
      const allowsOthers = additionalProperties !== false || patternProperties !== undefined;
      return names.length === 0 ? [] : [[id, { names, allowsOthers }]];
    }),
  );
}

/** Keywords under which a schema can declare fields in other places. */
const combining = ["allOf", "anyOf", "oneOf", "if", "$ref"];

const nothing = ({ atMost }: ReaderContext): ReadGraph => ({
  graph: { kind: "graph", nodes: [], atMost },
  ids: new Set(),
  fields: new Map(),
});

function readRawNode(graph: ReaderContext, node: unknown, written: SourcePath): RawNode | undefined {
  const { reader, at } = (isMapping(node) ? graph.origins.get(node) : undefined) ?? {
    reader: graph,
    at: written,
  };
  const fields = parseFields(node, {
    fields: nodeFields,
    at,
    faults: reader.faults,
    ignored: ignoredInNode,
    advice: adviceOn(node),
  });
  if (!isMapping(node)) return undefined;
  const { id } = node;
  return {
    id: readId(reader, {
      value: typeof id === "string" ? id.trim() : id,
      at,
      key: "id",
      owner: "A node",
      pattern: idPattern,
      reserved: (name) => (reserved.has(name) ? name : undefined),
      hint: "An id is a letter, a digit or _, then up to 99 letters, digits, dots, _ and -.",
    }),
    after: fields.depends_on ?? [],
    at,
    raw: node,
    fields,
    reader,
  };
}

const reserved: ReadonlySet<string> = new Set(["INPUTS", "LOOP_PREV", "LOOP_ITEM"]);

/** Texts can reference only a node whose id starts with a letter or _ and contains no dot. */
const idPattern = /^\w(?!.*\.\.)[\w.-]{0,99}$/;

/** The hint for a loop's key on a node; if the node has a loop, the key may be its missing limit. */
const adviceOn = (node: unknown) => (key: string) => {
  if (!Object.hasOwn(loopFields, key)) return undefined;
  const isLoop = isMapping(node) && (Object.hasOwn(node, "loop") || Object.hasOwn(node, "loop_group"));
  return isLoop ? `\`${key}\` belongs under \`loop:\`.` : "It belongs under a `loop:`.";
};

interface NameScope {
  readonly ids: ReadonlySet<string>;
  readonly enclosing: EnclosingContext;
  /** Whether a node can read the outputs of earlier layers. */
  readonly isLayered: boolean;
}

/** The names that each node of a graph can use: upstream nodes, and names of the enclosing scope. */
function namesOf(drafts: readonly RawNode[], { ids, enclosing, isLayered }: NameScope) {
  const reachable = reachOf(drafts);
  const isEarlier = earlierIn(drafts);
  const declared = declaredIn(drafts);
  const gathering = drafts.flatMap((it) => {
    const name = accumulated(it);
    return name === undefined ? [] : [{ id: it.id, name }];
  });
  return ({ id }: RawNode, behind: Set<string>): Names => {
    const upstream = gathering.filter((it) => reachable(id, it.id)).map(({ name }) => name);
    return {
      ...enclosing.names,
      values:
        upstream.length === 0 ? enclosing.names.values : new Set([...enclosing.names.values, ...upstream]),
      sees: (target) =>
        ids.has(target) ? target !== id && reachable(id, target) : enclosing.names.sees(target),
      waitsFor(target) {
        if (!ids.has(target)) return enclosing.names.waitsFor(target);
        if (!isLayered || !isEarlier(target, id)) return false;
        behind.add(target);
        return true;
      },
      exists: (target) => ids.has(target) || enclosing.names.exists(target),
      within: (target) => target === id || enclosing.names.within(target),
      fields: (target) => (ids.has(target) ? declared.get(target) : enclosing.names.fields(target)),
      candidates: () => [...ids, ...enclosing.names.candidates()],
    };
  };
}

function accumulated({ raw }: RawNode): string | undefined {
  const loop = raw["loop"] ?? raw["loop_group"];
  const name = isMapping(loop) ? loop["accumulate"] : undefined;
  return typeof name === "string" ? name : undefined;
}
