import { existsSync, readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { agentNames } from "../../src/agents/index.ts";
import { compile, yaml } from "../../src/compile/compile.ts";
import type { Files } from "../../src/dialects/dialect.ts";
import { dialects } from "../../src/dialects/index.ts";
import { cel } from "../../src/expressions/cel.ts";
import { withLazyModules } from "../../src/ports/lazy-module.ts";
import { schemas, schemaText } from "../schemas.ts";
import { code, table } from "./markdown.ts";

type Mapping = Readonly<Record<string, unknown>>;
type Keys = readonly (string | number)[];

/** Workflows that use every key, our own, for each language. */
const folder = "test/dialects/compatibility";

/**
 * What happens to a key: it affects the plan or a diagnostic, is ignored with or without a warning, or is refused.
 */
export type Use = "read" | "warning" | "nothing" | "refused";

export interface CompatibilityRow {
  readonly title: string;
  readonly key: string;
  /** Its description in the schema for editors. */
  readonly what: string;
  /** `undefined` if no workflow uses it. */
  readonly use: Use | undefined;
}

/** Every key of a language, in the order of its schema. */
export function compatibilityRows(language: string): readonly CompatibilityRow[] {
  const root = JSON.parse(schemaText(language)) as SchemaNode;
  const uses = usesIn(language, root);
  const seen = new Set<string>();
  return [root, ...Object.values(root.definitions ?? {})].flatMap((schema) =>
    Object.entries(schema.properties ?? {}).flatMap(([key, { description = "" }]) => {
      const title = titleOf(schema, key, root);
      if (seen.size === seen.add(`${title}.${key}`).size) return [];
      return [{ title, key, what: description, use: uses.get(`${title}.${key}`) }];
    }),
  );
}

/** The tables of a language, in Markdown. */
export function compatibilityTable(language: string): string {
  const byTitle = Map.groupBy(compatibilityRows(language), ({ title }) => title);
  return [...byTitle]
    .map(([title, rows]) => {
      const lines = rows.map(({ key, what, use }) => [code(key), words[use ?? "nothing"], what]);
      return `**${title}**\n\n${table(["key", "here", "meaning"], lines)}`;
    })
    .join("\n\n");
}

const words: Readonly<Record<Use, string>> = {
  read: "works",
  warning: "ignored, with a warning",
  nothing: "no effect",
  refused: "refused",
};

interface SchemaNode {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly definitions?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly additionalProperties?: SchemaNode | boolean;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
}

/** Keys that all types of blocks share have one row each. */
function titleOf(schema: SchemaNode, key: string, { definitions = {} }: SchemaNode): string {
  const types = Object.values(definitions).filter(isBlock);
  const isShared = isBlock(schema) && types.every(({ properties }) => properties?.[key] !== undefined);
  return isShared ? "A block of any type" : (schema.title ?? "");
}

const isBlock = ({ properties }: SchemaNode) => properties?.["type"]?.const !== undefined;

/** Keys that no workflow can use: their diagnostics have separate tests. */
const refused: readonly string[] = ["A step of a loop's body.loop"];

/** Removes each key in the workflows, one at a time, and compares the results. */
function usesIn(language: string, root: SchemaNode): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>(refused.map((name) => [name, "refused"]));
  for (const document of parseAllDocuments(readFileSync(`${folder}/${language}.yml`, "utf8"))) {
    const value: unknown = document.toJS();
    const before = read(value, language);
    if (before.plan === undefined) throw new Error(`${language}.yml: ${before.said.join("\n")}`);
    for (const { name, at } of shownKeys({ root, schema: root, value, at: [] })) {
      if (uses.get(name) === "read") continue;
      const use = useOf(before, read(without(value, at), language));
      if (use !== "nothing" || !uses.has(name)) uses.set(name, use);
    }
  }
  return uses;
}

function useOf(before: Reading, after: Reading): Use {
  if (after.plan !== before.plan || after.said.some((it) => !before.said.includes(it))) return "read";
  return after.said.length < before.said.length ? "warning" : "nothing";
}

/** The plan of a document as text, with its diagnostics. */
interface Reading {
  readonly plan: string | undefined;
  readonly said: readonly string[];
}

function read(value: unknown, language: string): Reading {
  const it = compile({ text: JSON.stringify(value), file: "w.yml" }, filesOf(language));
  const said = (it.ok ? it.warnings : it.diagnostics).map(
    // The number of other places does not matter.
    ({ code, message }) => `${code} ${message.replace(/, nor in .*(?=\.$)/, "")}`,
  );
  return { plan: it.ok ? JSON.stringify(it.plan) : undefined, said };
}

/** The files that the workflows name. */
const filesOf = (language: string): Files => ({
  agents: agentNames,
  command: () => "Plan it.",
  text: () => "text",
  workflow(name) {
    const file = `${folder}/${language}-${name.replace(/\.yaml$/, "")}.yml`;
    return existsSync(file) ? { file, text: readFileSync(file, "utf8") } : undefined;
  },
});

interface Shown {
  readonly root: SchemaNode;
  readonly schema: SchemaNode;
  readonly value: unknown;
  readonly at: Keys;
}

/** The keys in a value that its schema defines, each with its row and place. */
function* shownKeys(shown: Shown): Iterable<{ name: string; at: Keys }> {
  const { root, value, at } = shown;
  const schema = targetOf(shown);
  if (schema === undefined || typeof value !== "object" || value === null) return;
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    yield* shownKeys({ root, schema: part, value, at });
  for (const [key, inner] of Object.entries(value)) {
    const place = [...at, Array.isArray(value) ? Number(key) : key];
    if (!Array.isArray(value) && schema.properties?.[key] !== undefined)
      yield { name: `${titleOf(schema, key, root)}.${key}`, at: place };
    for (const one of schemasOf(schema, key, value))
      yield* shownKeys({ root, schema: one, value: inner, at: place });
  }
}

/** The schema itself, if it can apply to this value. */
function targetOf({ root, schema, value }: Shown): SchemaNode | undefined {
  const target = schema.$ref === undefined ? schema : root.definitions?.[schema.$ref.split("/").at(-1) ?? ""];
  const type = target?.properties?.["type"]?.const;
  return type === undefined || (value as Mapping | null)?.["type"] === type ? target : undefined;
}

/** The schemas of the value of a key. */
function schemasOf(schema: SchemaNode, key: string, value: object): readonly SchemaNode[] {
  if (Array.isArray(value)) return schema.items === undefined ? [] : [schema.items];
  const own = schema.properties?.[key];
  if (own !== undefined) return [own];
  const others = [schema.additionalProperties, ...Object.values(schema.patternProperties ?? {})];
  return others.flatMap((one) => (typeof one === "object" ? [one] : []));
}

/** A value without the part at a place. */
function without(value: unknown, [key, ...rest]: Keys): unknown {
  if (Array.isArray(value))
    return rest.length === 0
      ? value.filter((_, index) => index !== key)
      : value.map((inner, index) => (index === key ? without(inner, rest) : inner));
  // The order of keys is kept, because nodes run in that order.
  return Object.fromEntries(
    Object.entries(value as Mapping).flatMap(([name, inner]) => {
      if (name !== String(key)) return [[name, inner]];
      return rest.length === 0 ? [] : [[name, without(inner, rest)]];
    }),
  );
}

export const languages: readonly string[] = Object.keys(schemas);

/** Loads modules that are loaded on demand. */
export async function loadDialects(): Promise<void> {
  const none = { command: () => undefined, workflow: () => undefined };
  await cel.load();
  await yaml.load();
  for (const { read } of dialects) await withLazyModules(() => read({}, none));
}
