import { howToAnswer } from "../engine/gate-text.ts";
import type { Gate } from "../engine/run-events.ts";
import type { Summary } from "../status/run-summary.ts";

/** The gate's question without the commands at its end; each page adds its own. */
export function gateQuestion({ message }: Gate, run: string): string {
  const commands = howToAnswer(run);
  return message.endsWith(commands) ? message.slice(0, -commands.length).trimEnd() : message;
}

/** The question and the agent's message, without the check's result, which a page shows separately. */
export const gateWords = (question: string): string =>
  question
    .replace(/(?<=\n\n)(?:Failing tests|The check's last lines):\n(?: {4}.*(?:\n|$))*/g, "")
    .replace(/^(?:the check (?:failed|passed, but|ran over) ?|\d+ tests? still fails? \().*\n?/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^> ?/gm, "");

/** True if the gate's text shows the last lines of the check. */
export const hasLastLines = (message: string): boolean => message.includes("\n\nThe check's last lines:\n");

/**
 * The exact commands that answer a gate, on the command line or in a comment; none if the gate's text contains them.
 */
export function missingAnswers(summary: Summary, gate: Gate, by: "terminal" | "comment"): readonly string[] {
  const isOldest = gate.path === summary.gates[0]?.path;
  if (isOldest && gateQuestion(gate, summary.run).includes(`approve ${summary.run}`)) return [];
  const call = by === "terminal" ? "until-green" : "/workflow";
  const text = (placeholder: string) => (by === "terminal" ? `"${placeholder}"` : `<${placeholder}>`);
  // Without `--gate`, the oldest gate is answered.
  const which = by === "terminal" && !isOldest ? ` --gate '${gate.path}'` : "";
  return [
    `${call} approve ${summary.run} ${text("what to do next")}${which}`,
    `${call} approve ${summary.run}${which}`,
    `${call} reject ${summary.run} ${text("why")}${which}`,
    `${call} cancel ${summary.run}`,
  ];
}
