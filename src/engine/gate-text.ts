interface GateText {
  readonly message: string;
  readonly run: string;
  /** The output to be reviewed. */
  readonly output?: string;
  /** What the loop's stops reported, as text. */
  readonly verdicts?: readonly string[];
  /** What the check printed. */
  readonly check?: string | undefined;
  /** The changes to review, as a patch. */
  readonly patch?: string;
  /** Explains what a plain approval does, if that is not obvious. */
  readonly note?: string;
}

const shownOutput = 2_000;

/** The text people read at a gate: the question, its context, and the exact commands that answer it. */
export function gateText({
  message,
  run,
  output,
  verdicts = [],
  check = "",
  patch = "",
  note,
}: GateText): string {
  const parts = [message.trim()];
  if (output !== undefined && output.trim() !== "") parts.push(quoted(output.trim()));
  if (verdicts.length > 0) parts.push(verdicts.join("\n"));
  if (check.trim() !== "") parts.push(`The check's last lines:\n${lastLines(check)}`);
  if (patch.trim() !== "") parts.push(indented(patch.trim().split("\n")));
  if (note !== undefined) parts.push(note);
  return [...parts, howToAnswer(run)].join("\n\n");
}

/** The last part of every gate's text: how to answer it. */
export const howToAnswer = (run: string): string =>
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

/** Indented, so that untrusted text cannot imitate ours. */
const indented = (lines: readonly string[]) => lines.map((line) => `    ${line.slice(0, 500)}`).join("\n");

const lastLines = (text: string) => indented(text.trimEnd().split("\n").slice(-shownLines));

const shownLines = 20;
