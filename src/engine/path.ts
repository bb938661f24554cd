/**
 * Paths address everything in a run: `/fix#2/test` is node `test` in iteration 2 of loop `fix`, `/fix#2?1` that
 * iteration's first stop. Internal only: `~2` marks a second attempt, `!gate` and the like an effect beside the body.
 * @module
 */

export const nodeIn = (path: string, id: string) => `${path}/${id}`;
export const iterationOf = (path: string, number: number) => `${path}#${number}`;
export const stopOf = (path: string, position: number) => `${path}?${position}`;
export const attemptOf = (path: string, attempt: number) => (attempt === 1 ? path : `${path}~${attempt}`);
export const sideEffectPath = (
  path: string,
  what:
    | "coordinator"
    | "again"
    | "gate"
    | "delay"
    | "budget"
    | "snapshot"
    | "protect"
    | "metric"
    | "items"
    | "restore"
    | "evidence"
    | "fork"
    | "join"
    | "close"
    | "inspect"
    | "confirm"
    | "stress"
    | "clean"
    | "clean-base"
    | "clean-cold"
    | "clean-first"
    | "clean-again"
    | "clean-completed"
    | "diff"
    | "judge"
    | "review"
    | "changed"
    | "kept"
    | "protected"
    | "with"
    | "before"
    | "after",
) => `${path}!${what}`;

/** The path that people see: all attempts share the path of the first. */
export const withoutAttempt = (path: string) => path.replace(/~\d+/g, "");

/** True for the gate of a loop, whose next iteration gets the text of an answer; a node's gate has no iteration. */
export const isLoopGate = (path: string) => /[#!][^/]*$/.test(path);

/** A place's name in native files at run time: its path without the leading slash. */
export const labelOf = (path: string) => withoutAttempt(path).slice(1);

/** A place in words: `iteration 2 of fix`, `test in iteration 2 of fix`, `the check of iteration 2 of fix`. */
export function placeInWords(path: string): string {
  const [, body = "", effect] = /^(.*?)(?:([?!][^/#]*))?$/.exec(withoutAttempt(path)) ?? [];
  const names = body
    .slice(1)
    .split("/")
    .map((name) => name.replace(/^(.*)#(\d+)$/, "iteration $2 of $1"));
  const place = names
    .reverse()
    .join(" in ")
    .replace(/^iteration 0 of /, "the baseline of ");
  if (effect === undefined) return place;
  return `${/^(?:\?|!clean|!confirm|!stress|!with)/.test(effect) ? "the check" : "a step"} of ${place}`;
}
