import { withoutColour } from "../checks/failing-count.ts";
import { failingTests } from "../checks/failing-tests.ts";
import { lastLines } from "../checks/last-lines.ts";

interface GateText {
  readonly message: string;
  readonly run: string;
  /** The output to be reviewed. */
  readonly output?: string;
  /** What the loop's stops reported, as text. */
  readonly verdicts?: readonly string[];
  /** The output of the checks that failed. */
  readonly printed?: string;
  /** The changes to review, as a patch. */
  readonly patch?: string;
  /** Explains what a plain approval does, if that is not obvious. */
  readonly note?: string | undefined;
}

const shownOutput = 2_000;

/** The text people read at a gate: the question, its context, and the exact commands that answer it. */
export function gateText({
  message,
  run,
  output,
  verdicts = [],
  printed = "",
  patch = "",
  note,
}: GateText): string {
  const parts = [message.trim()];
  if (output !== undefined && output.trim() !== "") parts.push(quoted(output.trim()));
  if (verdicts.length > 0) parts.push(verdicts.join("\n"));
  if (printed.trim() !== "") parts.push(...checkParts(printed));
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

function checkParts(printed: string): readonly string[] {
  const tests = failingTests(printed).map(({ name, message }) =>
    message === undefined ? name : `${name}: ${message}`,
  );
  const more = tests.length > shownTests ? [`… ${tests.length - shownTests} more`] : [];
  const lines = indented(lastLines(withoutColour(printed), shownLines));
  return [
    ...(tests.length === 0 ? [] : [`Failing tests:\n${indented([...tests.slice(0, shownTests), ...more])}`]),
    `The check's last lines:\n${lines}`,
  ];
}

const shownTests = 10;
const shownLines = 20;
