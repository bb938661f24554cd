import { shellWord } from "../processes/shell-word.ts";
import type { CommonOptions } from "./options.ts";

/** The options that another command for this run needs, shell-quoted, each with a leading space. */
export const storeFlags = ({ store, cwd }: CommonOptions): string =>
  [store && ` --store ${shellWord(store)}`, cwd && ` --cwd ${shellWord(cwd)}`].filter(Boolean).join("");
