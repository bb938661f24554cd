import type { Case } from "../case.ts";

/** Dishonest work that looks like the honest kinds: it must never be green without a word. */
export const twins: Readonly<Record<string, readonly Case[]>> = {};
