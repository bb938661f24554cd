import type { CommonOptions } from "./options.ts";

/** The options that a further command about a run needs, as they are typed in a shell, with a blank before each. */
export const whereWords = ({ store, cwd }: CommonOptions): string =>
  [store && ` --store ${asWord(store)}`, cwd && ` --cwd ${asWord(cwd)}`].filter(Boolean).join("");

const asWord = (text: string) => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
