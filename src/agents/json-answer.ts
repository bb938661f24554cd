import type { Role } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import { parseJson } from "../ports/parse-json.ts";

/**
 * The structured answer in a final message: all of the text, its last line, or its last fenced block. A judge's block
 * with text before or after it does not count: it may be quoted from the judged output.
 */
export function findJson(text: string, role: Role): Json | undefined {
  const trimmed = text.trim();
  const lastLine = trimmed.slice(trimmed.lastIndexOf("\n") + 1).trim();
  const block = [...trimmed.matchAll(/^```\w*[ \t]*\r?\n([\s\S]*?)^```[ \t]*$/gm)].at(-1);
  const isAmid = block !== undefined && block.index > 0 && !trimmed.endsWith(block[0]);
  const quotes = isAmid && role !== "worker";
  return (
    parsed(trimmed) ??
    (/^[[{]/.test(lastLine) ? parsed(lastLine) : undefined) ??
    (quotes ? undefined : parsed(block?.[1])) ??
    parsed(lastLine)
  );
}

const parsed = (text: string | undefined) => (text === undefined ? undefined : parseJson(text));
