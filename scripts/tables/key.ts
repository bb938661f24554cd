import type { z } from "zod";
import type { Json } from "../../src/ports/json.ts";

/** What people read about one key of a workflow file. */
export interface Key {
  readonly what: string;
  /** What may stand there, where the schema does not say it. */
  readonly values?: string;
  /** What holds when the key is left out. */
  readonly fallback?: Json;
}

export type Fields = Readonly<Record<string, z.ZodType>>;
export type Words<F extends Fields> = { readonly [K in keyof F]: Key };

export const text = "text";
export const duration = "duration";
