import { headAndTailOf } from "../../processes/bounded-output.ts";

/** One question and its answer. */
export interface Exchanged {
  readonly asked: string;
  readonly answered: string;
  /** The tools called for it, with their main argument; newest last. */
  readonly steps?: readonly string[];
}

/**
 * Summarizes a conversation that cannot continue, as the first message of a new one; the newest turns are kept first.
 */
export function digest(turns: readonly Exchanged[]): string {
  const shown: string[] = [];
  let left = mostBytes;
  for (const { asked, answered, steps = [] } of turns.toReversed()) {
    const done = steps.length === 0 ? "" : `\n\n${stepsDone}\n${quoted(newestOf(steps).join("\n"))}`;
    const text = `They asked:\n${quoted(asked)}\n\nYou answered:\n${quoted(answered)}${done}`;
    left -= Buffer.byteLength(text);
    if (left < 0) break;
    shown.unshift(text);
  }
  if (shown.length === 0) return "";
  const older = shown.length < turns.length ? " What was said before that is left out." : "";
  return `${opening}${older}\n\n${shown.join("\n\n")}\n\n${closing}`;
}

/** A text shortened for a digest. */
export const shortened = (text: string): string => headAndTailOf(text, 4 * 1024);

/** A tool call in one line. */
export function stepOf(name: string, subject: string): string {
  const line = subject === "" ? name : `${name}: ${subject}`;
  return line.length > longestStep ? `${line.slice(0, longestStep)}…` : line;
}

function newestOf(steps: readonly string[]): readonly string[] {
  const left = steps.length - mostSteps;
  return left > 0 ? [`(${left} earlier steps)`, ...steps.slice(-mostSteps)] : steps;
}

/** Maximum number of steps in a digest, and of characters per step. */
const mostSteps = 100;
const longestStep = 200;

const mostBytes = 48 * 1024;
const opening =
  "You have worked on this before, in a conversation that cannot be continued here. This is what was said in it, shortened.";
const stepsDone =
  "Steps that you have done already, with their effects in the workspace; do not repeat them:";
const closing = "That was the conversation so far. Your task now:";

const quoted = (text: string) => text.replace(/^/gm, "> ");
