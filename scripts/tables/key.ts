import type { z } from "zod";
import type { Json } from "../../src/ports/json.ts";

/** The description of one key of a workflow file. */
export interface Key {
  readonly what: string;
  /** Its value, if the schema does not describe it. */
  readonly values?: string;
  /** The default. */
  readonly fallback?: Json;
}

export type Fields = Readonly<Record<string, z.ZodType>>;
/** The description of each key; a text if its schema says the rest. */
export type Words<F extends Fields> = { readonly [K in keyof F]: Key | string };

export const keyOf = (key: Key | string): Key => (typeof key === "string" ? { what: key } : key);

export const text = "text";
export const duration = "duration";
