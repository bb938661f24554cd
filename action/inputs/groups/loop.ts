import { flag, lines, trimmedText } from "../field-schemas.ts";
import { input } from "../input.ts";

/** Inline loops. */
export const loop = {
  "prompt-file": input(
    trimmedText,
    "A file with the prompt of the inline loop, relative to the working directory.",
  ),
  until: input(trimmedText, "The inline loop ends when the agent gives this signal."),
  "fresh-context": input(
    flag,
    "Whether each iteration of the inline loop starts a new conversation, `true` or `false`.",
    { fallback: "false" },
  ),
  protect: input(
    lines,
    "Paths the agent of the inline loop may not change, one glob per line. They are restored before each check.",
  ),
} as const;
