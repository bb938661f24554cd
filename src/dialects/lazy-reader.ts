import { lazyModule } from "../ports/lazy-module.ts";
import type { Dialect } from "./dialect.ts";

/** A reader that is loaded for the first file in its language; throws a `NotLoadedError` before that. */
export function readerOf(bring: () => Promise<{ readonly read: Dialect["read"] }>): Dialect["read"] {
  const part = lazyModule(bring);
  return (document, files) => part.get().read(document, files);
}
