import { checkGraph } from "../../plan/check.ts";
import { reachOf } from "../../plan/reach.ts";
import { note } from "../note.ts";
import { type At, isMapping, shape } from "../shape.ts";
import type { Draft } from "./draft.ts";
import type { Names } from "./names.ts";
import { readNode } from "./node.ts";
import { ignoredInNode, loopFields, nodeFields } from "./schema.ts";
import type { Around, GraphSource, ReadGraph, Sheet } from "./sheet.ts";

const maxNodes = 20_000;
const maxAccumulated = 200;

/** Reads a list of nodes, each by itself, and checks how they hang together. */
export function readGraph(sheet: Sheet, { nodes, at, around }: GraphSource): ReadGraph {
  sheet.count += nodes.length;
  if (sheet.count > maxNodes) {
    note(sheet, "LIMIT", { message: `The file has more than ${maxNodes} nodes.`, at });
    return nothing(sheet);
  }
  const drafts = nodes.flatMap((node, index) => draft(sheet, node, [...at, index]) ?? []);
  sheet.faults.push(...checkGraph(drafts, { afterKey: "depends_on", outer: around.outer }));
  const ids = new Set(drafts.map(({ id }) => id));
  if (drafts.filter((it) => accumulated(it) !== undefined).length > maxAccumulated) {
    note(sheet, "LIMIT", { message: `More than ${maxAccumulated} loops accumulate.`, at });
    return nothing(sheet);
  }
  const namesFor = namesOf(drafts, { ids, around });
  const inside: Around = { ...around, outer: (id) => ids.has(id) || around.outer(id) };
  const read = drafts.flatMap((it) => readNode(sheet, it, { names: namesFor(it), around: inside }) ?? []);
  return { graph: { kind: "graph", nodes: read, atMost: sheet.atMost }, ids, fields: declaredIn(drafts) };
}

/** The fields that nodes declare for their answers. */
function declaredIn(drafts: readonly Draft[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    drafts.flatMap(({ id, fields }) => {
      const { properties, additionalProperties = false } = fields.output_format ?? {};
      return isMapping(properties) && Object.keys(properties).length > 0 && additionalProperties === false
        ? [[id, Object.keys(properties)]]
        : [];
    }),
  );
}

const nothing = ({ atMost }: Sheet): ReadGraph => ({
  graph: { kind: "graph", nodes: [], atMost },
  ids: new Set(),
  fields: new Map(),
});

function draft(sheet: Sheet, node: unknown, at: At): Draft | undefined {
  const fields = shape(node, {
    fields: nodeFields,
    at,
    faults: sheet.faults,
    ignored: ignoredInNode,
    advice,
  });
  if (!isMapping(node)) return undefined;
  return { id: readId(sheet, node["id"], at), after: fields.depends_on ?? [], at, raw: node, fields };
}

const reserved: readonly string[] = ["INPUTS", "LOOP_PREV", "LOOP_ITEM"];

function readId(sheet: Sheet, id: unknown, at: At): string {
  if (typeof id === "string" && /^[A-Za-z_][\w-]{0,99}$/.test(id) && !reserved.includes(id)) return id;
  const place = id === undefined ? at : [...at, "id"];
  const hint = "An id is a letter or _, then up to 99 letters, digits, _ and -.";
  if (id === undefined) note(sheet, "BAD_ID", { message: "A node needs an `id`.", at: place });
  else if (typeof id !== "string") note(sheet, "BAD_ID", { message: "An id must be text.", at: place, hint });
  else if (reserved.includes(id))
    note(sheet, "BAD_ID", { message: `\`${id}\` means something else.`, at: place });
  else note(sheet, "BAD_ID", { message: `\`${id.slice(0, 110)}\` cannot be an id.`, at: place, hint });
  return typeof id === "string" ? id : `#${at.join(".")}`;
}

function advice(key: string): string | undefined {
  if (key === "include" || key === "wait") return `\`${key}\` nodes come later.`;
  return Object.hasOwn(loopFields, key) ? `\`${key}\` belongs under \`loop:\`.` : undefined;
}

/** What each node of a graph may name: what is upstream of it, and what is around the graph. */
function namesOf(drafts: readonly Draft[], { ids, around }: { ids: ReadonlySet<string>; around: Around }) {
  const reach = reachOf(drafts);
  const declared = declaredIn(drafts);
  const gathering = drafts.flatMap((it) => {
    const name = accumulated(it);
    return name === undefined ? [] : [{ id: it.id, name }];
  });
  return ({ id }: Draft): Names => {
    const upstream = gathering.filter((it) => reach(id, it.id)).map(({ name }) => name);
    return {
      ...around.names,
      values: upstream.length === 0 ? around.names.values : new Set([...around.names.values, ...upstream]),
      sees: (target) => (ids.has(target) ? target !== id && reach(id, target) : around.names.sees(target)),
      exists: (target) => ids.has(target) || around.names.exists(target),
      within: (target) => target === id || around.names.within(target),
      fields: (target) => (ids.has(target) ? declared.get(target) : around.names.fields(target)),
      candidates: () => [...ids, ...around.names.candidates()],
    };
  };
}

function accumulated({ raw }: Draft): string | undefined {
  const loop = raw["loop"] ?? raw["loop_group"];
  const name = isMapping(loop) ? loop["accumulate"] : undefined;
  return typeof name === "string" ? name : undefined;
}
