import { inHtml } from "./escape.ts";

/** An agent's text as a quote in HTML: paragraphs flow, lists and code are kept; everything else is text. */
export function quoteHtml(text: string): string {
  const parts = text
    .replace(/\r\n?/g, "\n")
    .split(/^ *```[^`\n]*\n([\s\S]*?)(?:\n? *```[ \t]*$|$(?![\s\S]))/m);
  const shown = parts.map((part, at) => (at % 2 === 1 ? `<pre>${inHtml(part)}</pre>` : paragraphs(part)));
  return `<blockquote>${shown.join("")}</blockquote>`;
}

const paragraphs = (text: string) =>
  text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => `<p>${part.trim().split(newLine).map(withCode).join("<br>")}</p>`)
    .join("");

/**
 * Only what begins a list's item, a heading, a quote, a table's row or indented text is a line of its own. Text indented
 * like the words of an item continues it.
 */
const newLine = /\n(?=\s*(?:[-*+>|#]|\d+[.)])|\s{4,})|(?<!^\s*(?:[-*+]|\d+[.)]) .*)\n(?=\s{2,})/m;

const withCode = (line: string) =>
  line
    .replace(/\s*\n\s*/g, " ")
    .split(/(?<!`)`([^`]+)`(?!`)/)
    .map((part, at) => (at % 2 === 1 ? `<code>${inHtml(part)}</code>` : inHtml(part)))
    .join("");
