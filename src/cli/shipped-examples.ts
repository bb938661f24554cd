import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A folder of the examples: they are beside `src/` in a checkout and beside `dist/` in the package. */
export function shippedExamples(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "examples", name)) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, "examples", name);
}
