import { howToAnswer } from "../engine/gate-text.ts";
import type { Gate } from "../engine/run-events.ts";
import type { Summary } from "../status/run-summary.ts";

/** The gate's question without the commands at its end; each page adds its own. */
export function gateQuestion({ message }: Gate, run: string): string {
  const commands = howToAnswer(run);
  return message.endsWith(commands) ? message.slice(0, -commands.length).trimEnd() : message;
}

/** The question and the agent's message, without the check's output, which a page shows separately. */
export const gateWords = (question: string): string =>
  question
    .replace(/\n\nThe check's last lines:\n(?: {4}.*(?:\n|$))*/, "\n\n")
    .replace(/^until-bash: .*\n*/gm, "")
    .replace(/^> ?/gm, "");

/** The full text of a gate. The check's result is worded as in tables; an empty check output is left out. */
export const gateText = (message: string): string =>
  message
    .replace(/^until-bash: exit 0$/gm, "✅ check passed")
    .replace(/^until-bash: (.*)$/gm, "❌ check failed ($1)")
    .replace(/\n\nThe check's last lines:\n {4}exit \d+(?=\n\n|$)/, "")
    // The result above says it already.
    .replace(/(\n\nThe check's last lines:\n) {4}exit \d+\n(?= {4})/, "$1");

/** True if the gate's text shows the last lines of the check. */
export const hasLastLines = (message: string): boolean =>
  gateText(message).includes("\n\nThe check's last lines:\n");

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
