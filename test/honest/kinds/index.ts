import type { Case } from "../case.ts";
import { plain } from "./plain.ts";

/** The cases by kind; a kind is what makes a loop doubt the work. */
export const kinds: Readonly<Record<string, readonly Case[]>> = {
  "nothing unusual": plain,
};
