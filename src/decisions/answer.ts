import { type Answer, commandNamed, commands } from "./commands/table.ts";

/**
 * What people may answer at a gate, the same on the command line, at its question on a terminal, in comments and by
 * buttons. A word that is not listed here is no answer, and there is no default.
 */
export const answers = commands.flatMap(({ name, group }) => (group === "answer" ? [name as Answer] : []));

/**
 * The answer that a word names, in full or by its first letter, in any case. `a` with a text is none: "a lot is
 * missing" is a sentence.
 */
export function answerNamed(word: string, text = ""): Answer | undefined {
  const name = word.toLowerCase();
  if (name === "a") return text === "" ? "approve" : undefined;
  return answers.find((answer) => answer === name || answer[0] === name);
}

/** What a command decides about a gate; `undefined` if it is about something else. Feedback is an approval with a text. */
export function decisionOf(command: string): "approve" | "reject" | undefined {
  const row = commandNamed(command);
  return row?.about === "run" ? row.decision : undefined;
}

/** The answers that a gate at a path accepts, as people type them. */
export const answersAt = (takesFeedback: boolean) => (takesFeedback ? "a, r, c or f TEXT" : "a, r or c");

/** An answer typed at a gate's question; `unclear` says what to type instead. */
export function parseAnswer(
  typed: string,
  takesFeedback: boolean,
): { readonly name: Answer; readonly text: string } | { readonly unclear: string } {
  const [, word = "", text = ""] = /^(\S*)\s*([\s\S]*)$/.exec(typed.trim()) ?? [];
  const name = answerNamed(word, text);
  const fits = name !== "feedback" || (takesFeedback && text !== "");
  if (name !== undefined && fits) return { name, text };
  const shown = JSON.stringify(typed.length > 80 ? `${typed.slice(0, 80)}…`.toWellFormed() : typed);
  const what = typed.trim() === "" ? "nothing was typed" : `${shown} is not an answer`;
  return { unclear: `${what}: type ${answersAt(takesFeedback)}` };
}
