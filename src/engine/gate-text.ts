import { afterCheck } from "../checks/after-check.ts";
import { withoutColour } from "../checks/colours.ts";
import type { Gate } from "./run-events.ts";

interface GateText {
  readonly message: string;
  readonly run: string;
  /** The output to be reviewed. */
  readonly output?: string;
  /** What the loop's stops reported, as text. */
  readonly verdicts?: readonly string[];
  /** Those of them that report a check. */
  readonly checkVerdicts?: readonly string[];
  /** The output of the checks that failed. */
  readonly printed?: string;
  /** The changes to review, as a patch. */
  readonly patch?: string;
  /** Explains what a plain approval does, if that is not obvious. */
  readonly note?: string | undefined;
}

const shownOutput = 2_000;

/**
 * The text people read at a gate: the question, its context, and the exact commands that answer it. The question alone
 * is for pages that show the check and the commands separately, and that mark what is quoted in their own way.
 */
export function gateText({
  message,
  run,
  output = "",
  verdicts = [],
  checkVerdicts = [],
  printed = "",
  patch = "",
  note = "",
}: GateText): Pick<Gate, "message" | "question"> {
  const shown = cut(output.trim());
  const quote = shown === "" ? "" : shown.replace(/^/gm, "> ");
  const others = verdicts.filter((text) => !checkVerdicts.includes(text));
  const changes = patch.trim() === "" ? "" : indented(patch.trim().split("\n"));
  const check = printed.trim() === "" ? [] : checkParts(printed);
  return {
    message: joined([message.trim(), quote, verdicts.join("\n"), ...check, changes, note, howToAnswer(run)]),
    question: joined([message.trim(), shown, others.join("\n"), changes, note]),
  };
}

const joined = (parts: readonly string[]) => parts.filter((part) => part !== "").join("\n\n");

/** The last part of every gate's text: how to answer it. */
const howToAnswer = (run: string): string =>
  [
    `Run: ${run}`,
    `  until-green approve ${run} [text]       or comment: /workflow approve ${run} [text]`,
    `  until-green reject ${run} [reason]      or comment: /workflow reject ${run} [reason]`,
    `  until-green cancel ${run}               or comment: /workflow cancel ${run}`,
  ].join("\n");

function cut(output: string): string {
  const left = output.length - shownOutput;
  return left > 0 ? `… ${left} characters before\n${output.slice(-shownOutput)}` : output;
}

/** Indented, so that untrusted text cannot imitate ours. */
const indented = (lines: readonly string[]) => lines.map((line) => `    ${line.slice(0, 500)}`).join("\n");

function checkParts(printed: string): readonly string[] {
  const { failingTests, lastLines } = afterCheck.get();
  const tests = failingTests(printed).map(({ name, message }) =>
    message === undefined ? name : `${name}: ${message}`,
  );
  const more = tests.length > shownTests ? [`… ${tests.length - shownTests} more`] : [];
  const lines = indented(lastLines(withoutColour(printed), shownLines));
  return [
    ...(tests.length === 0 ? [] : [`Failing tests:\n${indented([...tests.slice(0, shownTests), ...more])}`]),
    `${lastLinesTitle}\n${lines}`,
  ];
}

/** The line above the check's last lines. */
export const lastLinesTitle = "The check's last lines:";

const shownTests = 10;
const shownLines = 20;
