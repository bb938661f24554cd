import { isInArchonsFolder } from "../dialect.ts";
import { isMapping, type ParsedFields, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault, reportKeys, warnOfKeys } from "../report-fault.ts";
import { ignoredInNode } from "./ignored-keys.ts";
import { includedInputs, readIncluded } from "./included-file.ts";
import type { ExpandedNode, ReaderContext } from "./reader-context.ts";
import { type Rewrite, rewriteNode, rewriter } from "./rewrite-references.ts";
import { kindKeys, nodeFields, settingFields, toolFields } from "./schema.ts";

type Mapping = Readonly<Record<string, unknown>>;
type Fields = ParsedFields<typeof nodeFields>;

/** The nodes of an included workflow in the graph that includes it. */
export interface Block {
  readonly nodes: readonly ExpandedNode[];
  /** The ids of its nodes that no other of its nodes depends on. */
  readonly sinks: readonly string[];
  /** The id of the node that provides the workflow's output. */
  readonly output: string;
}

/** A node that includes a workflow. */
export interface IncludeNode {
  readonly node: Mapping;
  readonly at: SourcePath;
  /** The chain of including files. */
  readonly stack: readonly string[];
}

/** Expands includes inside the included workflow. */
type Expand = (
  reader: ReaderContext,
  nodes: readonly unknown[],
  stack: readonly string[],
) => { readonly nodes: readonly ExpandedNode[]; readonly blocks: ReadonlyMap<string, Block> };

/** Reads the workflow that a node includes, as nodes of the enclosing graph. */
export function openBlock(
  reader: ReaderContext,
  { node, at, stack }: IncludeNode,
  expand: Expand,
): Block | undefined {
  const fields = readFields(reader, node, at);
  const { id, include: name } = node;
  if (typeof id !== "string") return reportFault(reader, "BAD_ID", { message: "A node needs an `id`.", at });
  if (fields.include === undefined || typeof name !== "string") return undefined;
  const included = readIncluded(reader, { name, at: [...at, "include"], stack });
  if (included === undefined) return undefined;
  const { document, nodes } = included;
  const inputs = includedInputs(reader, {
    document,
    inputs: isMapping(node["with"]) ? node["with"] : {},
    at,
  });
  const ids = nodes.flatMap((one) => (isMapping(one) && typeof one["id"] === "string" ? [one["id"]] : []));
  const renamed = new Map(ids.map((one) => [one, `${id}__${one}`]));
  const rewrite = rewriter({ outputs: renamed, inputs });
  const moved = nodes.map((one) =>
    isMapping(one) ? withInputs(movedNode(one, { document, fields, renamed, rewrite }), inputs) : one,
  );
  const expanded = expand(insideOf(reader, { name, at, rewrite, file: included.file }), moved, [
    ...stack,
    included.file,
  ]);
  return { nodes: expanded.nodes, ...endsOf(moved, document, { id, blocks: expanded.blocks }) };
}

function readFields(reader: ReaderContext, node: Mapping, at: SourcePath): Fields {
  const { faults } = reader;
  const fields = parseFields(node, { fields: nodeFields, at, faults, ignored: ignoredInNode });
  reportKeys(reader, "ONE_KIND", {
    keys: kindKeys.filter((key) => key !== "include"),
    object: node,
    at,
    message: (key) => `A node has one kind; this one has include and ${key}.`,
  });
  warnOfKeys(reader, {
    keys: Object.keys(nodeFields).filter((key) => !usefulKeys.has(key)),
    object: node,
    at,
    message: (key) => `\`${key}\` has no effect on a node that includes a workflow.`,
  });
  return fields;
}

const usefulKeys: ReadonlySet<string> = new Set([
  ...["id", "description", "depends_on", "when", "trigger_rule", "with"],
  ...kindKeys,
]);

interface Move {
  readonly document: Mapping;
  readonly fields: Fields;
  readonly renamed: ReadonlyMap<string, string>;
  readonly rewrite: Rewrite;
}

/** A node of the workflow under its new id; the first ones get the dependencies of the including node. */
function movedNode(raw: Mapping, { document, fields, renamed, rewrite }: Move): Mapping {
  const { id, depends_on: after } = raw;
  const node = {
    ...rewriteNode(withDefaults(raw, document), rewrite),
    ...(typeof id === "string" ? { id: renamed.get(id) ?? id } : {}),
  };
  if (Array.isArray(after) && after.length > 0)
    return { ...node, depends_on: after.map((one) => renamed.get(String(one)) ?? one) };
  const { when } = node as { readonly when?: unknown };
  const talks = Object.hasOwn(node, "prompt") || Object.hasOwn(node, "command");
  return {
    ...(talks ? { context: "fresh" } : {}),
    ...(fields.trigger_rule === undefined ? {} : { trigger_rule: fields.trigger_rule }),
    ...node,
    ...(fields.when === undefined ? {} : { when: both(fields.when, when) }),
    depends_on: fields.depends_on ?? [],
  };
}

/** The programs of a block see its inputs as `INPUTS_NAME`, also those in the bodies of its loops. */
function withInputs(node: Mapping, inputs: ReadonlyMap<string, string>): Mapping {
  if (inputs.size === 0) return node;
  if (["bash", "script"].some((key) => Object.hasOwn(node, key)))
    return {
      ...node,
      with: { ...Object.fromEntries(inputs), ...(isMapping(node["with"]) ? node["with"] : {}) },
    };
  const key = ["loop", "loop_group"].find((each) => isMapping(node[each]));
  const loop = key === undefined ? undefined : (node[key] as Mapping);
  if (key === undefined || !Array.isArray(loop?.["nodes"])) return node;
  const nodes = loop["nodes"].map((one: unknown) => (isMapping(one) ? withInputs(one, inputs) : one));
  return { ...node, [key]: { ...loop, nodes } };
}

const both = (outer: string, inner: unknown): unknown => {
  if (inner === undefined) return outer;
  const grouped = (text: string) => (text.includes("||") ? `(${text})` : text);
  return `${grouped(outer)} && ${grouped(String(inner))}`;
};

const inherited: readonly string[] = ["model", ...Object.keys(settingFields), ...Object.keys(toolFields)];
const askingKinds: readonly string[] = ["prompt", "command", "loop", "loop_group", "approval", "include"];

/** The workflow's own agent settings apply to its own nodes. */
function withDefaults(node: Mapping, document: Mapping): Mapping {
  if (!askingKinds.some((key) => Object.hasOwn(node, key)) || Object.hasOwn(node, "include")) return node;
  const namesAgent = Object.hasOwn(node, "agent") || Object.hasOwn(node, "provider");
  const keys = namesAgent ? inherited.slice(1) : ["agent", "provider", ...inherited];
  const defaults = keys.flatMap((key) =>
    Object.hasOwn(document, key) ? [[key, document[key]] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...node };
}

interface Inside {
  readonly name: string;
  readonly at: SourcePath;
  readonly rewrite: Rewrite;
  readonly file: string;
}

/** Errors in the workflow are reported at `include`; its command files are read like its own texts. */
function insideOf(reader: ReaderContext, { name, at, rewrite, file }: Inside): ReaderContext {
  const faults: ReaderContext["faults"] = [];
  reader.included.push({ name, at: [...at, "include"], faults });
  const files = { ...reader.files, ...reader.files.packaged?.(file), isArchons: isInArchonsFolder(file) };
  return { ...withCommands({ ...reader, files }, rewrite), faults };
}

/** Rewrites the texts of command files like those of the nodes that name them. */
export function withCommands(reader: ReaderContext, rewrite: Rewrite): ReaderContext {
  const { files } = reader;
  const command = (name: string) => {
    const text = files.command(name);
    return text === undefined ? undefined : rewrite.text(text);
  };
  return { ...reader, files: { ...files, command } };
}

interface Ends {
  readonly id: string;
  readonly blocks: ReadonlyMap<string, Block>;
}

function endsOf(
  nodes: readonly unknown[],
  { returns }: Mapping,
  { id, blocks }: Ends,
): Pick<Block, "sinks" | "output"> {
  const ids = nodes.flatMap((one) => (isMapping(one) && typeof one["id"] === "string" ? [one["id"]] : []));
  const dependencies = new Set(nodes.flatMap((one) => (isMapping(one) ? one["depends_on"] : [])));
  const last = ids.filter((one) => !dependencies.has(one));
  const output = typeof returns === "string" ? `${id}__${returns}` : (last[0] ?? id);
  return {
    sinks: last.flatMap((one) => blocks.get(one)?.sinks ?? [one]),
    output: blocks.get(output)?.output ?? output,
  };
}
