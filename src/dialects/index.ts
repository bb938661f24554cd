import { blocks } from "./blocks/index.ts";
import type { Dialect } from "./dialect.ts";
import { loops } from "./loops/index.ts";
import { native } from "./native/index.ts";
import { steps } from "./steps/index.ts";

/** The YAML languages: a folder each, a line here; the first that claims a document has it. */
export const dialects: readonly Dialect[] = [native, loops, steps, blocks];
