/**
 * Text that an agent, a test or a stranger wrote, made harmless for the place where it is shown.
 * @module
 */

/** Without what changes how text looks but cannot be seen: colours, control, direction and zero-width characters. */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(terminalSequence, "")
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, "\n")
    .replace(unseen, "");
}

/** The same in one line. */
export const oneLine = (text: string) => plain(text).replace(/\s+/g, " ").trim();

/** Text inside a Markdown paragraph or table cell: no markup, no mention, no link, no reference to an issue. */
export function inMarkdown(text: string): string {
  return (
    oneLine(text)
      .replace(/&/g, "&amp;")
      .replace(/</g, "&lt;")
      .replace(/>/g, "&gt;")
      .replace(/[\\`*_{}[\]|~$]/g, "\\$&")
      // GitHub looks for these in the finished page, where a backslash is gone; an unseen space parts them for good.
      .replace(/@(?=\w)|#(?=\d)|\bGH-(?=\d)|:(?=\/\/)|\bwww\./gi, "$&&#8203;")
  );
}

/** Text as code within a line. */
export function inlineCode(text: string): string {
  const shown = oneLine(text);
  if (shown === "") return "";
  const ticks = "`".repeat(longestRun(shown) + 1);
  const pad = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return ticks + pad + shown + pad + ticks;
}

/** Text as a block of code that nothing inside it can close. */
export function fence(text: string, language = "text"): string {
  const shown = plain(text).replace(/\n+$/, "");
  const ticks = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return `${ticks}${language}\n${shown}\n${ticks}`;
}

/** Text inside an HTML element or a quoted attribute. */
export function inHtml(text: string): string {
  return plain(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/**
 * Text printed to the log of a CI job, so that the runner obeys nothing of it: a runner takes `::command::` at the
 * start of a line, blanks before it or not, and `##[command]` anywhere. What would be a command gets a blank inside.
 */
export function forRunner(text: string): string {
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

/** Colours and cursor moves (CSI), titles and links (OSC, ended by BEL or ST), and the short ones. */
const terminalSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of them
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** Control characters but tab and line feed, and all format characters: direction marks, zero width, tags. */
const unseen = /(?![\t\n])\p{Cc}|\p{Cf}/gu;

const leadingColons = /^([\s\p{Cc}\p{Cf}]*(?:\p{Cc}\[[\d;]*m[\s\p{Cc}\p{Cf}]*)*)::/u;

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
