import { headAndTail } from "../../processes/bounded-output.ts";

/** One question and its answer. */
export interface Exchanged {
  readonly asked: string;
  readonly answered: string;
  /** The tools that were called for it, with what for; the newest last. */
  readonly steps?: readonly string[];
}

/**
 * The messages of a conversation that cannot continue, as the first message of its replacement; newest turns are kept
 * first.
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

/** A text as a digest holds it. */
export function shortened(text: string): string {
  const kept = headAndTail(4 * 1024);
  kept.push(Buffer.from(text));
  return kept.text();
}

/** A step in one line, by the name of its tool. */
export function stepOf(name: string, about: string): string {
  const line = about === "" ? name : `${name}: ${about}`;
  return line.length > longestStep ? `${line.slice(0, longestStep)}…` : line;
}

function newestOf(steps: readonly string[]): readonly string[] {
  const left = steps.length - mostSteps;
  return left > 0 ? [`(${left} earlier steps)`, ...steps.slice(-mostSteps)] : steps;
}

/** How many steps a digest lists, and how many characters of each. */
const mostSteps = 100;
const longestStep = 200;

const mostBytes = 48 * 1024;
const opening =
  "You have worked on this before, in a conversation that cannot be continued here. This is what was said in it, shortened.";
const stepsDone =
  "Steps that you have done already, with their effects in the workspace; do not repeat them:";
const closing = "That was the conversation so far. Your task now:";

const quoted = (text: string) => text.replace(/^/gm, "> ");
