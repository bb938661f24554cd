import type { Reference, Text } from "./text.ts";

/** What a name in braces means: a reference, literal text, or nothing, and then it stays as written. */
export type Lookup = (name: string, place: BracesPlace) => Reference | string | undefined;

export interface BracesPlace {
  /** The whole of it, braces included. */
  readonly written: string;
  /** Where its first brace stands in the source, from 0. */
  readonly offset: number;
}

/** Reads a text in which `{{ name }}` stands for a value; read once, so what a value says is never looked at. */
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

/** The same text with neighbouring literals in one and empty ones gone. */
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
