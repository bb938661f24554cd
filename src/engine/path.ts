/**
 * Paths address everything in a run: `/fix#2/test` is node `test` in iteration 2 of loop `fix`, `/fix#2?1` that
 * iteration's first stop. Ours, inside: `~2` marks a second attempt, `!gate` and the like a need beside the body.
 * @module
 */

export const nodeIn = (path: string, id: string) => `${path}/${id}`;
export const iterationOf = (path: string, number: number) => `${path}#${number}`;
export const stopOf = (path: string, position: number) => `${path}?${position}`;
export const attemptOf = (path: string, attempt: number) => (attempt === 1 ? path : `${path}~${attempt}`);
export const besides = (
  path: string,
  what: "coordinator" | "gate" | "delay" | "snapshot" | "protect" | "metric" | "restore" | "fork" | "join",
) => `${path}!${what}`;

/** The path people see: without attempts, which share the address of the first. */
export const shown = (path: string) => path.replace(/~\d+/g, "");

/** How native files name a place at run time: its path without the leading slash. */
export const labelOf = (path: string) => shown(path).slice(1);
