import type { z } from "zod";
import type { Json } from "./json.ts";

/** The type that a schema accepts, deeply readonly. */
export type Infer<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;

/** `Json` is recursive, and already readonly. */
type DeepReadonly<T> = Json extends T ? T : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };
