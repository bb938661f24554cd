import type { CommonOptions } from "./options.ts";

/** The options that another command for this run needs, quoted for a shell, each with a leading space. */
export const whereWords = ({ store, cwd }: CommonOptions): string =>
  [store && ` --store ${asWord(store)}`, cwd && ` --cwd ${asWord(cwd)}`].filter(Boolean).join("");

const asWord = (text: string) => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
