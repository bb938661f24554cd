import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from "yaml";
import { mergeSources } from "./check-nodes.ts";

/** A line and a column, from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

export interface PlaceOptions {
  /** The position of the key instead of the value. */
  readonly onKey?: boolean | undefined;
  /** A position inside the text at this place. */
  readonly offset?: number | undefined;
}

/** Returns the position of the value at a path, or else of the nearest enclosing value. */
export type SourcePositions = (at: readonly (string | number)[], options?: PlaceOptions) => SourcePosition;

export interface PlaceSource {
  readonly source: string;
  readonly document: Document.Parsed;
  readonly anchors: ReadonlyMap<Alias, Node>;
  place(offset: number): SourcePosition;
}

/** Positions for a document that could not be read. */
export const noPositions: SourcePositions = () => ({ line: 1, column: 1 });

/** One value of a document with its position and that of its key. */
interface PositionedValue {
  readonly node: Node | undefined;
  readonly offset: number;
  readonly key: number;
}

export function placesIn({ source, document, anchors, place }: PlaceSource): SourcePositions {
  return (at, { onKey = false, offset } = {}) => {
    let current: PositionedValue = foundAt(document.contents, 0);
    for (const key of at) {
      const next = child(current.node, key, anchors);
      if (next === undefined) return place(current.offset);
      current = next;
    }
    if (onKey) return place(current.key);
    const { node } = current;
    const isText = isScalar(node) && typeof node.value === "string";
    return place(offset !== undefined && isText ? inside(source, node, offset) : current.offset);
  };
}

/** The value under a key; if a merge key provides it, its position is where it is written. */
function child(
  node: Node | undefined,
  key: string | number,
  anchors: ReadonlyMap<Alias, Node>,
): PositionedValue | undefined {
  const holder = isAlias(node) ? anchors.get(node) : node;
  if (isSeq(holder)) {
    const item = typeof key === "number" ? holder.items[key] : undefined;
    return item === undefined ? undefined : foundAt(item, holder.range?.[0] ?? 0);
  }
  if (!isMap(holder)) return undefined;
  const pair = holder.items.find((it) => isScalar(it.key) && it.key.value === key);
  if (pair !== undefined) {
    const offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? 0;
    return { ...foundAt(pair.value, offset), key: offset };
  }
  for (const source of mergeSources(holder, anchors)) {
    const childNode = child(source, key, anchors);
    if (childNode !== undefined) return childNode;
  }
  return undefined;
}

/** An empty value has the position of its key. */
function foundAt(value: unknown, before: number): PositionedValue {
  const node = (value ?? undefined) as Node | undefined;
  const [start = before, end = before] = node?.range ?? [];
  const offset = isScalar(node) && start === end ? before : start;
  return { node, offset, key: offset };
}

/** The source offset of a position in a text if the source contains the text verbatim; else the start of the text. */
function inside(source: string, { range, type, value }: Scalar, offset: number): number {
  const [start = 0, end = 0] = range ?? [];
  const text = String(value);
  if (type === "BLOCK_LITERAL") return insideBlock({ source, start, text, offset });
  const quote = type === "PLAIN" ? 0 : 1;
  return source.slice(start + quote, end - quote) === text ? start + quote + offset : start;
}

interface Block {
  readonly source: string;
  /** The position of its `|`. */
  readonly start: number;
  readonly text: string;
  readonly offset: number;
}

/** The lines of a literal block are those of the source without their indentation. */
function insideBlock({ source, start, text, offset }: Block): number {
  const before = text.slice(0, offset).split("\n");
  const column = before.at(-1)?.length ?? 0;
  let line = source.indexOf("\n", start) + 1;
  for (let count = 1; count < before.length; count++) line = source.indexOf("\n", line) + 1;
  const end = source.indexOf("\n", line);
  const written = source.slice(line, end < 0 ? source.length : end).replace(/\r$/, "");
  const lineText = text.split("\n")[before.length - 1] ?? "";
  return line + written.length - lineText.length + column;
}
