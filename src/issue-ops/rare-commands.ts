/** Rarely needed code, in a chunk of its own: a job that drives a run does not load it. @module */

export { forgetNotes } from "./forget-notes.ts";
export { helpText, listText, statusText } from "./reply-texts.ts";
export { startRun } from "./start-run.ts";
