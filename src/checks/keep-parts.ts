import { entriesOf, isSameTable, isTable, readJson, readToml, type Table, valuesOf } from "./tables.ts";
import type { ConfigPart } from "./tools/tool.ts";

/**
 * The text of a file with its protected parts restored; `undefined` if they are unchanged. If they cannot be inserted
 * into the new text, or nothing else had changed, returns the whole old text, byte by byte.
 */
export function keepParts(
  parts: readonly ConfigPart[],
  { before, now }: { readonly before: string; readonly now: string },
): string | undefined {
  if (before === now) return undefined;
  let text = now;
  for (const part of parts) {
    if (isKept(part, before, text)) continue;
    text = putBack(part, before, text);
  }
  const kept = parts.every((part) => isKept(part, before, text));
  if (text === now && kept) return undefined;
  return kept && !isSameTable(readJson(before), readJson(text)) ? text : before;
}

/** Whether a part is the same in both texts. */
export function isKept(part: ConfigPart, before: string, now: string): boolean {
  const [one, other] = [before, withoutAdded(part, before, now)].map((text) => readPart(part, text));
  return one !== undefined && other !== undefined && one === other;
}

/** The text without new entries that are allowed. */
function withoutAdded(part: ConfigPart, before: string, now: string): string {
  if (part.kind === "lines") return withoutAddedLines(part, before, now);
  if (part.kind === "entries" && part.mayBeNew) return withoutNewTables(part, before, now);
  if (part.kind !== "json" || part.mayAdd === undefined) return now;
  const [old, current] = [readJson(before), readJson(now)];
  if (old === undefined || current === undefined) return now;
  const entries = Object.entries(current).map(([key, value]) => {
    if (!part.keys.includes(key) || !isTable(value)) return [key, value] as const;
    const rest = without(addedTo(part, old[key], value), value);
    // The table itself may be new.
    return [key, Object.keys(rest).length === 0 && !Object.hasOwn(old, key) ? undefined : rest] as const;
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** As JSON, whatever the file is. */
function withoutNewTables(part: EntriesPart, before: string, now: string): string {
  const [old, current] = [readTable(part, before), readTable(part, now)];
  if (old === undefined || current === undefined) return now;
  const prune = (value: unknown, was: unknown, depth: number): unknown =>
    !isTable(value)
      ? value
      : Object.fromEntries(
          Object.entries(value).flatMap(([key, each]) => {
            const isThere = isTable(was) && Object.hasOwn(was, key);
            if (!isThere && depth > 0 && isTable(each)) return [];
            return [[key, prune(each, isThere ? was[key] : undefined, depth + 1)]];
          }),
        );
  return JSON.stringify(prune(current, old, 0));
}

const readTable = ({ file }: EntriesPart, text: string) =>
  readJson(text) ?? (file.endsWith(".toml") ? readToml(text) : undefined);

type EntriesPart = Extract<ConfigPart, { readonly kind: "entries" }>;

function withoutAddedLines({ mayAdd }: LinesPart, before: string, now: string): string {
  if (mayAdd === undefined) return now;
  const old = new Set(before.split("\n").map((line) => line.trim()));
  const isAdded = (line: string) => mayAdd.test(line) && !old.has(line);
  return now
    .split("\n")
    .filter((line) => !isAdded(line.trim()))
    .join("\n");
}

type LinesPart = Extract<ConfigPart, { readonly kind: "lines" }>;

/** The entries of a value that are new and allowed. */
const addedTo = ({ mayAdd }: JsonPart, old: unknown, now: unknown): Table =>
  isTable(now)
    ? Object.fromEntries(
        Object.entries(now).filter(
          ([name]) => mayAdd?.test(name) === true && !(isTable(old) && Object.hasOwn(old, name)),
        ),
      )
    : {};

const unprotected = ({ values }: JsonPart, old: unknown, now: unknown): Table =>
  Object.fromEntries(
    Object.entries(isTable(now) ? now : {}).filter(
      ([name]) =>
        !isTable(old) || !Object.hasOwn(old, name) || values?.test(JSON.stringify(old[name])) !== true,
    ),
  );

type JsonPart = Extract<ConfigPart, { readonly kind: "json" }>;

const without = (some: Table, all: Table): Table =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(some, name)));

/** A part in one line of text; `undefined` if the file cannot be parsed. */
function readPart(part: ConfigPart, text: string): string | undefined {
  switch (part.kind) {
    case "json": {
      const table = readJson(text);
      const values = valuesOf(table && withMatching(part, table), part.keys);
      return part.versions ? values?.replaceAll(version, "$1") : values;
    }
    case "entries": {
      const table = readTable(part, text);
      return (
        table &&
        entriesOf(table)
          .filter((entry) => part.entries.test(entry))
          .sort()
          .join("\n")
      );
    }
    case "toml":
      return valuesOf(readToml(text), part.keys);
    case "ini":
      return sectionsOf(text, part.sections).join("\n");
    case "lines":
      return linesOf(text, part.lines).join("\n");
  }
}

/** Without the entries that the part does not protect. */
const withMatching = ({ keys, values }: JsonPart, table: Table): Table =>
  values === undefined
    ? table
    : Object.fromEntries(
        keys.map((key) => {
          const value = table[key];
          if (!isTable(value)) return [key, undefined];
          const kept = Object.entries(value).filter(([, each]) => values.test(JSON.stringify(each)));
          return [key, kept.length === 0 ? undefined : Object.fromEntries(kept)];
        }),
      );

/** A package's version in one of Deno's registries, after the name. */
const version = /("(?:npm|jsr):\/?(?:@[\w.-]+\/)?[\w.-]+)@[\w.^~*+-]+/g;

function putBack(part: ConfigPart, before: string, now: string): string {
  switch (part.kind) {
    case "json":
      return withJsonKeys(part, before, now);
    case "toml":
      return withSections(
        (name) => part.keys.some((key) => name === key || name.startsWith(`${key}.`)),
        before,
        now,
      );
    case "ini":
      return withSections((name) => part.sections.test(name), before, now);
    case "entries":
    case "lines":
      return before;
  }
}

/** Serialized with the old indentation; keys keep their order. */
function withJsonKeys(part: JsonPart, before: string, now: string): string {
  const { keys } = part;
  const [old, current] = [readJson(before), readJson(now)];
  if (old === undefined || current === undefined) return before;
  const entries = Object.entries(current).flatMap(([key, value]) => {
    if (!keys.includes(key)) return [[key, value] as const];
    const was = old[key];
    const added = part.values === undefined ? addedTo(part, was, value) : unprotected(part, was, value);
    if (isTable(was)) return [[key, { ...was, ...added }] as const];
    if (Object.hasOwn(old, key)) return [[key, was] as const];
    return Object.keys(added).length > 0 ? [[key, added] as const] : [];
  });
  const lost = keys.filter((key) => Object.hasOwn(old, key) && !Object.hasOwn(current, key));
  const whole = Object.fromEntries([...entries, ...lost.map((key) => [key, old[key]] as const)]);
  const indent = /^[{[]\r?\n([ \t]+)/.exec(before)?.[1] ?? "  ";
  return `${JSON.stringify(whole, undefined, indent)}${now.endsWith("\n") ? "\n" : ""}`;
}

interface Section {
  /** Empty for the lines before the first section. */
  readonly name: string;
  readonly text: string;
}

/** The new text with its matching sections replaced by the old ones, at the place of the first match or at the end. */
function withSections(matches: (name: string) => boolean, before: string, now: string): string {
  const kept = splitSections(before).filter(({ name }) => name !== "" && matches(name));
  const sections = splitSections(now);
  const first = sections.findIndex(({ name }) => name !== "" && matches(name));
  const others = sections.filter(({ name }) => name === "" || !matches(name));
  const at =
    first < 0 ? others.length : sections.slice(0, first).filter((one) => others.includes(one)).length;
  const texts = [...others.slice(0, at), ...kept, ...others.slice(at)].map(({ text }) => text);
  return texts
    .map((text, index) => (index < texts.length - 1 && !text.endsWith("\n") ? `${text}\n` : text))
    .join("");
}

function splitSections(text: string): readonly Section[] {
  const parts = text.split(/^(?=[ \t]*\[)/m);
  return parts.map((part) => ({
    name: (/^[ \t]*\[+[ \t]*([^\]\n]*?)[ \t]*\]/.exec(part)?.[1] ?? "").replaceAll(
      /["']|\s*(?=\.)|(?<=\.)\s*/g,
      "",
    ),
    text: part,
  }));
}

const sectionsOf = (text: string, pattern: RegExp): readonly string[] =>
  splitSections(text)
    .filter(({ name }) => name !== "" && pattern.test(name))
    .map(({ text: section }) => section.trim());

const linesOf = (text: string, pattern: RegExp): readonly string[] =>
  text
    .split("\n")
    .filter((line) => pattern.test(line) || pattern.test(tidied(line)))
    .map(tidied);

const tidied = (line: string) => line.trim().replace(/,$/, "");
