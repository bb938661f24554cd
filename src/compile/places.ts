import { SCALAR_STYLE, type ScalarEvent } from "js-yaml";

/** A line and a column, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where one value stands in the source. */
export interface Spot {
  readonly offset: number;
  /** Where its key stands; the value's own place in a list. */
  readonly key: number;
  readonly scalar?: ScalarEvent;
}

/** The spots of a container's values, by key or position. */
export type Table = ReadonlyMap<string | number, Spot>;

export interface PlaceOptions {
  /** The key's place instead of the value's. */
  readonly onKey?: boolean | undefined;
  /** A position inside the text that stands there. */
  readonly offset?: number | undefined;
}

/** Tells where the value at a path stands, or else the nearest value around it. */
export type Places = (at: readonly (string | number)[], options?: PlaceOptions) => Place;

export interface PlaceSource {
  readonly source: string;
  readonly lines: Lines;
  /** Walks the document again and notes the spot of everything; called once, when a place is first asked for. */
  readonly track: () => Tracked;
}

export interface Tracked {
  readonly root: { readonly value: unknown; readonly spot: Spot } | undefined;
  readonly tables: ReadonlyMap<object, Table>;
}

export interface Lines {
  place(offset: number): Place;
}

/** The places in a document that could not be read. */
export const nowhere: Places = () => ({ line: 1, column: 1 });

export function placesIn({ source, lines, track }: PlaceSource): Places {
  let tracked: Tracked | undefined;
  return (at, { onKey = false, offset } = {}) => {
    tracked ??= track();
    const found = find(tracked, at);
    if (found === undefined) return { line: 1, column: 1 };
    const { spot, value } = found;
    if (!found.exact) return lines.place(spot.offset);
    if (onKey) return lines.place(spot.key);
    if (offset === undefined || typeof value !== "string") return lines.place(spot.offset);
    return lines.place(inside({ source, spot, value, offset }));
  };
}

function find({ root, tables }: Tracked, at: readonly (string | number)[]) {
  if (root === undefined) return undefined;
  let { spot, value } = root;
  for (const key of at) {
    const next = isContainer(value) ? tables.get(value)?.get(key) : undefined;
    if (next === undefined) return { spot, value, exact: false };
    spot = next;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return { spot, value, exact: true };
}

/** Finds lines by offset without scanning the text again. */
export function linesOf(source: string): Lines {
  let found: readonly number[] | undefined;
  return {
    place(offset) {
      found ??= lineStarts(source);
      const starts = found;
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
    },
  };
}

function lineStarts(source: string): readonly number[] {
  const starts = [0];
  for (const match of source.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return starts;
}

interface InsideOptions {
  readonly source: string;
  readonly spot: Spot;
  readonly value: string;
  readonly offset: number;
}

/** The source offset of a position in a text, where the text stands in the source as it reads; else its start. */
function inside({ source, spot, value, offset }: InsideOptions): number {
  const { scalar } = spot;
  if (scalar === undefined) return spot.offset;
  if (scalar.style === SCALAR_STYLE.LITERAL_BLOCK) return insideBlock({ source, scalar, value, offset });
  const raw = source.slice(scalar.valueStart, scalar.valueEnd);
  return raw === value ? scalar.valueStart + offset : spot.offset;
}

function insideBlock(it: { source: string; scalar: ScalarEvent; value: string; offset: number }): number {
  const before = it.value.slice(0, it.offset).split("\n");
  let start = it.scalar.valueStart;
  for (let line = 1; line < before.length; line++) {
    const end = it.source.indexOf("\n", start);
    if (end < 0) return start;
    start = end + 1;
  }
  return start + it.scalar.indent + (before.at(-1)?.length ?? 0);
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;
