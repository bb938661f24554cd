import { z } from "zod";

export type Schema = Readonly<Record<string, unknown>>;

type Fields = Readonly<Record<string, z.ZodType>>;

/** The description of each key of a mapping, in Markdown. */
export type Words<F extends Fields> = Readonly<Record<keyof F & string, string>>;

export interface MappingOptions<F extends Fields> {
  readonly title: string;
  readonly fields: F;
  readonly words: Words<F>;
  /** The schemas of keys whose fields do not define their values. */
  readonly inner?: Partial<Readonly<Record<keyof F, Schema>>>;
  readonly required?: readonly (keyof F & string)[];
  /** Keys that are accepted but ignored. */
  readonly ignored?: Iterable<string>;
  /** Additional conditions for the mapping. */
  readonly rules?: Schema;
}

/** The JSON schema of a mapping that a language reads with these fields: only its own keys. */
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

/** A mapping with names chosen by the author. */
export const named = (schema: Schema, names?: string): Schema => ({
  type: "object",
  additionalProperties: schema,
  ...(names === undefined ? {} : { propertyNames: { pattern: names } }),
});

/** A list with at least one entry. */
export const listOf = (items: Schema): Schema => ({ type: "array", minItems: 1, items });

export const ref = (name: string): Schema => ({ $ref: `#/definitions/${name}` });

/** Text that is not blank. */
export const text: Schema = { type: "string", pattern: /\S/.source };

/** Exactly one of these keys. */
export const oneOf = (keys: readonly string[]): Schema => ({
  oneOf: keys.map((key) => ({ required: [key] })),
});

/** Any JSON schema. */
export const anySchema: Schema = { type: "object" };

/** The JSON schema of a field. */
export function schemaOf(field: z.ZodType): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(field, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
  });
  return withoutBounds(schema);
}

/** A bound that every JSON number meets is left out. */
function withoutBounds(schema: Schema): Schema {
  const { maximum, minimum, ...rest } = schema;
  const bounds = {
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
  };
  return { ...rest, ...bounds };
}
