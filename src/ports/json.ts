import { z } from "zod";

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
);

/** The values of a list that JSON can hold: YAML also has numbers such as `.nan`, which its reader reports. */
export const jsonValues = (list: readonly unknown[]): readonly Json[] =>
  list.flatMap((value) => {
    const read = json.safeParse(value);
    return read.success ? [read.data] : [];
  });
