import { blocks } from "./blocks/index.ts";
import type { Dialect } from "./dialect.ts";
import { loops } from "./loops/index.ts";
import { native } from "./native/index.ts";
import { steps } from "./steps/index.ts";

/** The workflow languages: one folder each, one line here. The first one that claims a document reads it. */
export const dialects: readonly Dialect[] = [native, loops, steps, blocks];
