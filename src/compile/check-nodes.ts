import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import type { DiagnosticCode } from "../plan/diagnostic.ts";
import { signHint } from "./yaml-hint.ts";

/** A fault found while reading the text, at an offset into it. */
export interface SourceFault {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly offset: number;
  readonly hint?: string;
  /** The place of the first occurrence, if the fault is a repetition. */
  readonly first?: number;
}

/** The result of a pass over a document's nodes. */
export interface CheckedNodes {
  readonly faults: readonly SourceFault[];
  /** True if the value must not be used. */
  readonly broken: boolean;
  /** The node that each alias names. */
  readonly anchors: ReadonlyMap<Alias, Node>;
}

interface Check {
  readonly faults: SourceFault[];
  readonly anchors: Map<Alias, Node>;
  readonly named: Map<string, Anchor>;
  nodes: number;
  aliases: number;
  /** Number of values that aliases expand to. */
  expanded: number;
}

/** The size of a node: number of values, with aliases expanded, and depth of nesting. */
interface Size {
  readonly size: number;
  readonly height: number;
}

interface Anchor extends Size {
  readonly node: Node;
  readonly open: boolean;
}

class Broken extends Error {}

const maxNodes = 200_000;
const maxAliases = 100;
const maxExpanded = 100_000;
const maxDepth = 100;
const maxFaults = 1000;
const maxRepeats = 100;
const forbidden = new Set(["__proto__", "constructor", "prototype"]);
const allowedTags = new Set(
  ["str", "null", "bool", "int", "float", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
);

/**
 * Checks what the `yaml` package accepts, in one pass: tags, repeated keys, the size of expanded aliases, the depth
 * of nesting. Removes repeated and forbidden keys from the document; renames a repeatable key at the top to `key
 * (2)`.
 */
export function checkNodes(document: Document.Parsed, repeatable: ReadonlySet<string>): CheckedNodes {
  const check: Check = {
    faults: tagFaults(document),
    anchors: new Map(),
    named: new Map(),
    nodes: 0,
    aliases: 0,
    expanded: 0,
  };
  let broken = check.faults.length > 0;
  try {
    const root = document.contents;
    if (!broken && isMap(root)) uniqueKeys(check, root, repeatable);
    if (!broken) measure(check, root, 0);
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    broken = true;
  }
  return { faults: check.faults.toSorted((a, b) => a.offset - b.offset), broken, anchors: check.anchors };
}

const tagFaults = ({ warnings }: Document.Parsed): SourceFault[] =>
  warnings
    .filter(({ code }) => code === "TAG_RESOLVE_FAILED")
    .slice(0, maxFaults)
    .map(({ message, pos }) => ({
      code: "BAD_YAML",
      message: `A tag is not allowed here, or does not fit its value: ${message.replace("Unresolved tag: ", "")}.`,
      offset: pos[0],
    }));

function measure(check: Check, node: unknown, depth: number): Size {
  if (node === null || node === undefined) return { size: 1, height: 0 };
  const one = node as Node;
  const offset = one.range?.[0] ?? 0;
  if (++check.nodes > maxNodes)
    stop(check, { code: "LIMIT", message: "The file contains too many values.", offset });
  if (isAlias(one)) return follow(check, one, depth);
  checkTag(check, one);
  const anchor = "anchor" in one && typeof one.anchor === "string" ? one.anchor : undefined;
  if (anchor !== undefined) check.named.set(anchor, { node: one, open: true, size: 1, height: 0 });
  const size = inside(check, one, depth);
  if (anchor !== undefined) check.named.set(anchor, { node: one, open: false, ...size });
  return size;
}

function inside(check: Check, node: Node, depth: number): Size {
  if (isScalar(node)) {
    if (typeof node.value !== "number" || Number.isFinite(node.value)) return { size: 1, height: 0 };
    note(check, {
      code: "BAD_VALUE",
      message: "A number must be finite.",
      hint: "Write it in digits.",
      offset: node.range?.[0] ?? 0,
    });
    return { size: 1, height: 0 };
  }
  if (depth >= maxDepth) stop(check, tooDeep(node));
  if (isMap(node) && depth > 0) uniqueKeys(check, node, new Set());
  const values = isMap(node) ? node.items.map(({ value }) => value) : isSeq(node) ? node.items : [];
  const sizes = values.map((value) => measure(check, value, depth + 1));
  if (isMap(node)) checkMerge(check, node);
  return {
    size: 1 + sizes.reduce((sum, { size }) => sum + size, 0),
    height: 1 + sizes.reduce((most, { height }) => Math.max(most, height), 0),
  };
}

const tooDeep = ({ range }: Node): SourceFault => ({
  code: "LIMIT",
  message: `Values are nested more than ${maxDepth} deep.`,
  offset: range?.[0] ?? 0,
});

function follow(check: Check, alias: Alias, depth: number): Size {
  const anchor = check.named.get(alias.source);
  const offset = alias.range?.[0] ?? 0;
  if (anchor === undefined) {
    const message = `There is no anchor &${alias.source}.`;
    stop(check, { code: "BAD_YAML", message, offset, hint: signHint("*") });
  }
  const { node, open, size, height } = anchor;
  if (open) stop(check, { code: "BAD_YAML", message: `&${alias.source} contains itself.`, offset });
  check.expanded += size;
  if (++check.aliases > maxAliases || check.expanded > maxExpanded)
    stop(check, { code: "LIMIT", message: "Aliases make the file too large.", offset });
  if (depth + height > maxDepth) stop(check, { ...tooDeep(node), offset });
  check.anchors.set(alias, node);
  return { size, height };
}

function checkTag(check: Check, { tag, range }: Node): void {
  if (tag === undefined || allowedTags.has(tag)) return;
  stop(check, { code: "BAD_YAML", message: `The tag ${tag} is not allowed.`, offset: range?.[0] ?? 0 });
}

/** Removes each pair with an invalid key; of duplicate keys, the first one is kept. */
function uniqueKeys(check: Check, map: YAMLMap, repeatable: ReadonlySet<string>): void {
  const names = new Map<string, number>();
  map.items = map.items.filter((pair) => {
    const name = nameOf(pair, names, repeatable);
    const offset = offsetOfKey(pair, map);
    if (forbidden.has(name)) {
      note(check, { code: "UNKNOWN_FIELD", message: `\`${name}\` cannot be a key.`, offset });
      return false;
    }
    const first = names.get(name);
    if (first !== undefined) {
      const message = `\`${name}\` occurs here a second time.`;
      note(check, { code: "DUPLICATE_KEY", message, offset, first });
      return false;
    }
    names.set(name, offset);
    return true;
  });
}

/** The name of a key. A repeatable key that is already in use gets a numbered name. */
function nameOf(pair: Pair, taken: ReadonlyMap<string, number>, repeatable: ReadonlySet<string>): string {
  const { key } = pair;
  if (!isScalar(key)) return "";
  const name = String(key.value ?? "");
  if (!repeatable.has(name)) return name;
  let free = name;
  for (let count = 2; count <= maxRepeats && taken.has(free); count++) free = `${name} (${count})`;
  key.value = free;
  return free;
}

const offsetOfKey = ({ key }: Pair, map: YAMLMap): number =>
  (isScalar(key) ? key.range?.[0] : undefined) ?? map.range?.[0] ?? 0;

/** The mappings that a merge key names; empty if there is none. */
export function mergeSources(map: YAMLMap, anchors: ReadonlyMap<Alias, Node>): readonly Node[] {
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === "<<" && key.type === "PLAIN");
  if (pair === undefined) return [];
  const resolved = (node: unknown) => (isAlias(node) ? (anchors.get(node) ?? node) : (node as Node));
  const value = resolved(pair.value);
  return isSeq(value) ? value.items.map(resolved) : [value];
}

function checkMerge(check: Check, map: YAMLMap): void {
  if (mergeSources(map, check.anchors).every(isMap)) return;
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === "<<");
  const offset = pair === undefined ? 0 : offsetOfKey(pair, map);
  const hint = "write `<<: *name` of an anchor";
  stop(check, { code: "BAD_YAML", message: "`<<` takes a mapping or a list of mappings.", offset, hint });
}

function note({ faults }: Check, fault: SourceFault): void {
  if (faults.length < maxFaults) faults.push(fault);
}

function stop(check: Check, fault: SourceFault): never {
  check.faults.push(fault);
  throw new Broken();
}
