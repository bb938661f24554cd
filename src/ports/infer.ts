import type { z } from "zod";
import type { Json } from "./json.ts";

/** What a schema accepts, as values that nobody changes. */
export type Infer<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;

/** `Json` has no end, and is readonly itself. */
type DeepReadonly<T> = Json extends T ? T : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };
