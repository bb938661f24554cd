interface GateText {
  readonly message: string;
  readonly run: string;
  /** The output people are to look at. */
  readonly output?: string;
  /** What the loop's stops said, in words. */
  readonly verdicts?: readonly string[];
  /** What a plain approval does, where that is not plain. */
  readonly note?: string;
}

const shownOutput = 2_000;

/** What people read at a gate: the question, what it is about, and the exact commands. */
export function gateText({ message, run, output, verdicts = [], note }: GateText): string {
  const parts = [message.trim()];
  if (output !== undefined && output.trim() !== "") parts.push(quoted(output.trim()));
  if (verdicts.length > 0) parts.push(verdicts.join("\n"));
  if (note !== undefined) parts.push(note);
  return [...parts, waysToAnswer(run)].join("\n\n");
}

/** The end of every gate's text: how it is answered, wherever people read it. */
export const waysToAnswer = (run: string): string =>
  [
    `Run: ${run}`,
    `  until-green approve ${run} [feedback]   or comment: /workflow approve ${run} [feedback]`,
    `  until-green reject ${run} [reason]      or comment: /workflow reject ${run} [reason]`,
    `  until-green cancel ${run}               or comment: /workflow cancel ${run}`,
  ].join("\n");

function quoted(output: string): string {
  const left = output.length - shownOutput;
  const cut = left > 0 ? `… ${left} characters before\n${output.slice(-shownOutput)}` : output;
  return cut
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
