/** How ids end that are unique by themselves: random characters, the comment that started the run, or a job's number. */
const ends = "(?=[a-f]*[0-9])[0-9a-f]{8}|c[0-9][0-9a-z]{5,7}|[0-9]{9,20}(?:-[0-9]{1,3})?";
const unique = new RegExp(`-((?:${ends})(?:-item-[0-9]+)?)$`);

/** The unique end of a run's id, by which people may name the run; the whole id if it has none. */
export const shortRunId = (run: string): string => unique.exec(run)?.[1] ?? run;

/**
 * True if a word is meant as the id of a run: it can be one, in any case, and has a hyphen or a digit. An answer whose
 * first word is one never applies to another run.
 */
export const isMeantAsRunId = (word: string): boolean =>
  /^[a-z0-9][a-z0-9-]{5,63}$/i.test(word) && /[-0-9]/.test(word);

/** A word without the quotes or the punctuation around it: people copy ids with them. */
export const bareWord = (word: string): string =>
  word.length > 100 ? word : word.replace(/^[`'"<([]+/, "").replace(/[`'">)\].,:;!?]+$/, "");

/** True if a word looks like the id of a run, or like the end of one, so that it is not a person's text. */
export const hasFormOfRunId = (word: string): boolean =>
  unique.test(`-${word}`) || /-([0-9a-f]{8}|c(?=[a-z]*[0-9])[0-9a-z]{6,}|item-[0-9]+)$/.test(word);
