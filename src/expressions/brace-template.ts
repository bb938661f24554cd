import type { Reference, Text } from "./template.ts";

/** What a name in braces means: a reference, or literal text. `undefined`: it is no name, and stays as written. */
export type Lookup = (name: string, place: BracesPlace) => Reference | string | undefined;

export interface BracesPlace {
  /** The whole match, braces included. */
  readonly written: string;
  /** Offset of its first brace in the source. */
  readonly offset: number;
}

/** Parses a text with `{{ name }}` placeholders. It is parsed once: values are never scanned for names. */
export function parseBraces(source: string, lookup: Lookup): Text {
  const parts: (string | Reference)[] = [];
  let copied = 0;
  for (const { 0: written, 1: inner = "", index: offset } of source.matchAll(braces)) {
    const name = inner.trim();
    const meant = name === "" ? undefined : lookup(name, { written, offset });
    if (meant === undefined) continue;
    parts.push(source.slice(copied, offset), meant);
    copied = offset + written.length;
  }
  return joined([...parts, source.slice(copied)]);
}

const braces = /\{\{([^{}]*)\}\}/g;

/** The text with adjacent literals merged and empty ones removed. */
export function joined(parts: Text): Text {
  const text: (string | Reference)[] = [];
  for (const part of parts) {
    const last = text.at(-1);
    if (part === "") continue;
    if (typeof part === "string" && typeof last === "string") text[text.length - 1] = last + part;
    else text.push(part);
  }
  return text;
}
