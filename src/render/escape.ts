/** Escapes text by an agent, a test or a stranger for its context. @module */

/**
 * Removes what changes how text looks without being visible: colours, control, direction and zero-width characters.
 */
export function stripControlCharacters(text: string): string {
  return text
    .toWellFormed()
    .replace(terminalSequence, "")
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, "\n")
    .replace(unseen, "");
}

/**
 * Shows what `stripControlCharacters` removes, as in `<U+202E>`: for a diff on a terminal, in which nothing may hide. A
 * carriage return at the end of a line stays.
 */
export const showControlCharacters = (text: string): string =>
  text.toWellFormed().replace(unseen, (character, at: number) => {
    if (character === "\r" && text[at + 1] === "\n") return character;
    return `<U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}>`;
  });

/** Text on one line, without them. */
export const oneLine = (text: string) => stripControlCharacters(text).replace(/\s+/g, " ").trim();

/** Text for a Markdown paragraph or table cell: no markup, mention, link or issue reference. */
export function inMarkdown(text: string): string {
  return (
    oneLine(text)
      .replace(/&/g, "&amp;")
      .replace(/</g, "&lt;")
      .replace(/>/g, "&gt;")
      .replace(/[\\`*_{}[\]|~$]/g, "\\$&")
      // GitHub detects these in the rendered page, where a backslash is gone; a zero-width space prevents that.
      .replace(/@(?=\w)|#(?=\d)|\bGH-(?=\d)|:(?=\/\/)|\bwww\./gi, "$&&#8203;")
  );
}

/** The same, but code in backticks stays inline code. */
export const inMarkdownWithCode = (text: string): string =>
  oneLine(text)
    .split(/(?<!`)`([^`]+)`(?!`)/)
    .map((part, at) => (at % 2 === 1 ? inlineCode(part) : withSpaces(part)))
    .join("");

const withSpaces = (part: string) =>
  `${/^ /.test(part) ? " " : ""}${inMarkdown(part)}${/\S $/.test(part) ? " " : ""}`;

/** Text as inline code. */
export function inlineCode(text: string): string {
  const shown = oneLine(text);
  if (shown === "") return "";
  const ticks = "`".repeat(longestRun(shown) + 1);
  const pad = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return ticks + pad + shown + pad + ticks;
}

/** Text as a code block that its content cannot close. */
export function codeBlock(text: string, language = "text"): string {
  const shown = stripControlCharacters(text).replace(/\n+$/, "");
  const ticks = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return `${ticks}${language}\n${shown}\n${ticks}`;
}

/** Text for an HTML element or a quoted attribute. */
export function inHtml(text: string): string {
  return stripControlCharacters(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/**
 * Escapes text for the log of a CI job, so that the runner executes nothing in it. A runner accepts `::command::` at
 * the start of a line, even after spaces, and `##[command]` anywhere; this puts a space inside both.
 */
export function escapeWorkflowCommands(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, "\n")
    .split("\n")
    .map((line) => line.replaceAll("##[", "# #[").replace(leadingColons, "$1: :"))
    .join("\n");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Colours and cursor moves (CSI), titles and links (OSC, ended by BEL or ST), and short sequences. */
const terminalSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of them
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** Control characters except tab and line feed, and all format characters: direction marks, zero width, tags. */
const unseen = /(?![\t\n])\p{Cc}|\p{Cf}/gu;

const leadingColons = /^([\s\p{Cc}\p{Cf}]*(?:\p{Cc}\[[\d;]*m[\s\p{Cc}\p{Cf}]*)*)::/u;

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
