import { stripControlCharacters } from "./escape.ts";

/**
 * An agent's text as a quote in Markdown. Emphasis, lists and code are kept; links, images, mentions, references and
 * diagrams are disabled, and nothing can close the surrounding markup.
 */
export function quoteMarkdown(text: string): string {
  let fence: string | undefined;
  const lines = stripControlCharacters(text).trim().split("\n");
  const safe = lines.map(withoutTabs).map((line) => {
    const [, marks = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined) {
      if (marks === "") return safeLine(line);
      fence = marks;
      // An info string can turn a block into a diagram or a suggestion, so it is removed.
      return marks;
    }
    if (marks !== "" && marks.startsWith(fence) && /^[ \t]*$/.test(rest)) fence = undefined;
    return line;
  });
  if (fence !== undefined) safe.push(fence);
  return safe.map((line) => `> ${line}`.replace(/[ \t]+$/, "")).join("\n");
}

/** In a quote, a tab is narrower than elsewhere: GitHub would take a fence after one for a fence, not for code. */
const withoutTabs = (line: string) =>
  line.replace(/^[ \t]+(?=```|~~~)/, (indentation) => indentation.replaceAll("\t", "    "));

/** Inline code is unchanged; any other backtick is escaped, so that it cannot pair with one on another line. */
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
  // GitHub detects these in the rendered page, where a backslash is gone.
  return marked.replace(/@(?=\w)|#(?=\d)|\bGH-(?=\d)|:(?=\/\/)|\bwww\./gi, "$&&#8203;");
}

/** A long text as a quote whose end is folded, so that what follows it stays on a phone's screen. */
export function foldedQuote(text: string): string {
  const opening = openingOf(text);
  if (opening === text) return quoteMarkdown(text);
  return `${quoteMarkdown(`${opening}\n\n…`)}\n\n<details><summary>The whole message</summary>\n\n${quoteMarkdown(text)}\n\n</details>`;
}

/** About half a screen of a phone. */
const longestOpening = 500;
/** A few more words are not worth a fold. */
const longestUnfolded = 700;
const mostLines = 14;

/** The first paragraphs of a long text. */
function openingOf(text: string): string {
  const lines = text.split("\n");
  if (text.length <= longestUnfolded && lines.length <= mostLines) return text;
  const start = lines.slice(0, mostLines).join("\n").slice(0, longestOpening);
  const end = ["\n\n", "\n", " "]
    .map((sign) => start.lastIndexOf(sign))
    .find((at) => at > longestOpening / 4);
  return start.slice(0, end).toWellFormed().trimEnd();
}
