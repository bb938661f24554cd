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
export type Words<F extends Fields> = { readonly [K in keyof F]: Key };

export const text = "text";
export const duration = "duration";
