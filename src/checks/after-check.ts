import { lazyModule } from "../ports/lazy-module.ts";

/**
 * What reads the output of a check and the change that it judged. It needs the rows of all tools, and nothing before the
 * first check does: a plan with a check loads it.
 */
export const afterCheck = lazyModule(() => import("./read-output.ts"));
