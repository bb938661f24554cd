import { type RunEvent, readEvent, type Tip } from "../src/index.ts";

/**
 * What people have said of a run since its last job wrote to the record; whoever goes on with the run writes that down
 * first. The app keeps it at the tip, whatever it writes there afterwards; of what others wrote the last lines tell.
 */
export function wordsOf({ state, lines }: Tip): readonly RunEvent[] {
  const kept = state["said"];
  if (Array.isArray(kept)) return kept.flatMap((line) => wordIn(line) ?? []);
  const since = lines.findLastIndex((line) => wordIn(line) === undefined) + 1;
  return lines.slice(since).flatMap((line) => wordIn(line) ?? []);
}

/** What the tip keeps of them from now on, when one more is said, or none. */
export const keptWords = (tip: Tip, more: readonly RunEvent[]): readonly string[] =>
  [...wordsOf(tip), ...more].slice(-mostKept).map((word) => JSON.stringify(shortened(word)));

const mostKept = 10;
const kinds = ["run.decided", "run.cancelled", "run.messaged"];

/** Who said what kind of thing; the whole of it stands in the log. */
function shortened(word: RunEvent): RunEvent {
  if (word.type === "run.cancelled") return { ...word, because: word.because.slice(0, 200) };
  return "text" in word ? { ...word, text: "" } : word;
}

/** What cannot be read says nothing here: the job refuses it. */
function wordIn(line: unknown): RunEvent | undefined {
  try {
    const event = readEvent(String(line));
    return kinds.includes(event.type) ? event : undefined;
  } catch {
    return undefined;
  }
}
