import { stripControlCharacters } from "./escape.ts";

/**
 * An agent's text as a quote in Markdown: its emphasis, lists and code stay, and nothing in it links, loads, mentions,
 * refers, draws or closes what is around it.
 */
export function quoteMarkdown(text: string): string {
  let fence: string | undefined;
  const lines = stripControlCharacters(text).trim().split("\n");
  const safe = lines.map((line) => {
    const [, marks = ""] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined) {
      if (marks === "") return safeLine(line);
      fence = marks;
      // The info string selects how a block is drawn, such as a diagram or a suggestion: here it is only code.
      return marks;
    }
    if (marks !== "" && marks.startsWith(fence) && line.trim() === marks) fence = undefined;
    return line;
  });
  if (fence !== undefined) safe.push(fence);
  return safe.map((line) => `> ${line}`.trimEnd()).join("\n");
}

/** Code within the line is unchanged; any other backtick is escaped, so that none pairs with one of another line. */
function safeLine(line: string): string {
  return line
    .split(/((?<!`)`[^`]+`(?!`))/)
    .map((part, at) => (at % 2 === 1 ? part : safeText(part, at === 0)))
    .join("");
}

function safeText(text: string, isStart: boolean): string {
  const escaped = text
    .replace(/[!`[\]|$~\\]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;");
  const marked = isStart ? escaped.replace(/^(\s*)([#=>])/, "$1\\$2") : escaped;
  // GitHub looks for these in the rendered page, where a backslash is gone.
  return marked.replace(/@(?=\w)|#(?=\d)|\bGH-(?=\d)|:(?=\/\/)|\bwww\./gi, "$&&#8203;");
}
