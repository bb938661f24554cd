import { inHtml } from "./escape.ts";

/**
 * An agent's text as a quote in HTML. Paragraphs are reflowed, lists and code are kept; everything else is plain
 * text.
 */
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
 * Line breaks are kept only before a list item, heading, quote, table row or indented text. Text indented like a list
 * item's text continues the item.
 */
const newLine = /\n(?=\s*(?:[-*+>|#]|\d+[.)])|\s{4,})|(?<!^\s*(?:[-*+]|\d+[.)]) .*)\n(?=\s{2,})/m;

const withCode = (line: string) =>
  line
    .replace(/\s*\n\s*/g, " ")
    .split(/(?<!`)`([^`]+)`(?!`)/)
    .map((part, at) => (at % 2 === 1 ? `<code>${inHtml(part)}</code>` : inHtml(part)))
    .join("");
