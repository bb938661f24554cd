import type { Json } from "../../ports/json.ts";

/** The structured answer in a final message: all of the text, or its last fenced block, or its last line. */
export function findJson(text: string): Json | undefined {
  const blocks = [...text.matchAll(/^```\w*[ \t]*\r?\n([\s\S]*?)^```[ \t]*$/gm)].map(([, inner]) => inner);
  for (const candidate of [text, blocks.at(-1), text.trim().split("\n").at(-1)]) {
    try {
      if (candidate !== undefined) return JSON.parse(candidate) as Json;
    } catch {
      // the next candidate may be it
    }
  }
  return undefined;
}
