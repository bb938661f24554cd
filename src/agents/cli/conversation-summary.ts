import { headAndTail } from "../../processes/bounded-output.ts";

/** One question and its answer. */
export interface Exchanged {
  readonly asked: string;
  readonly answered: string;
}

/**
 * The messages of a conversation that cannot continue, as the first message of its replacement; newest turns are kept
 * first.
 */
export function digest(turns: readonly Exchanged[]): string {
  const shown: string[] = [];
  let left = mostBytes;
  for (const { asked, answered } of turns.toReversed()) {
    const text = `They asked:\n${quoted(asked)}\n\nYou answered:\n${quoted(answered)}`;
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

const mostBytes = 48 * 1024;
const opening =
  "You have worked on this before, in a conversation that cannot be continued here. This is what was said in it, shortened.";
const closing = "That was the conversation so far. Your task now:";

const quoted = (text: string) => text.replace(/^/gm, "> ");
