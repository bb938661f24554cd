import { z } from "zod";

export type Schema = Readonly<Record<string, unknown>>;

type Fields = Readonly<Record<string, z.ZodType>>;

/** What people read about each key of a mapping, in Markdown. */
export type Words<F extends Fields> = Readonly<Record<keyof F & string, string>>;

export interface MappingOptions<F extends Fields> {
  readonly title: string;
  readonly fields: F;
  readonly words: Words<F>;
  /** The schemas of keys whose fields do not say what may stand there. */
  readonly inner?: Partial<Readonly<Record<keyof F, Schema>>>;
  readonly required?: readonly (keyof F & string)[];
  /** Keys that are let pass and change nothing. */
  readonly ignored?: Iterable<string>;
  /** What else must hold of the mapping. */
  readonly rules?: Schema;
}

/** The JSON schema of a mapping that a dialect reads by these fields: its keys, and no others. */
export function mapping<F extends Fields>(options: MappingOptions<F>): Schema {
  const { title, fields, words, inner = {}, required = [], ignored = [], rules = {} } = options;
  const known = Object.entries(fields).map(([key, field]) => {
    const schema = (inner as Readonly<Record<string, Schema>>)[key] ?? schemaOf(field);
    return [key, { description: words[key], ...schema }] as const;
  });
  const useless = [...ignored].map(
    (key) => [key, { description: "No effect here.", deprecated: true }] as const,
  );
  return {
    title,
    type: "object",
    properties: Object.fromEntries([...known, ...useless]),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    ...rules,
  };
}

/** A mapping by names of the author's own. */
export const named = (schema: Schema, names?: string): Schema => ({
  type: "object",
  additionalProperties: schema,
  ...(names === undefined ? {} : { propertyNames: { pattern: names } }),
});

/** A list of at least one. */
export const listOf = (items: Schema): Schema => ({ type: "array", minItems: 1, items });

export const ref = (name: string): Schema => ({ $ref: `#/definitions/${name}` });

/** Text that says something. */
export const text: Schema = { type: "string", pattern: /\S/.source };

/** Exactly one of these keys. */
export const oneOf = (keys: readonly string[]): Schema => ({
  oneOf: keys.map((key) => ({ required: [key] })),
});

/** Any JSON schema. */
export const anySchema: Schema = { type: "object" };

function schemaOf(field: z.ZodType): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(field, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  return withoutBounds(schema);
}

/** What no number of JSON passes is no bound. */
function withoutBounds(schema: Schema): Schema {
  const { maximum, minimum, ...rest } = schema;
  const bounds = {
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
  };
  return { ...rest, ...bounds };
}
