import type { PrivateTempDir } from "../../processes/private-temp-dir.ts";

/** The text for standard input: the non-empty parts, or if that is too long, a sentence that names their file. */
export function promptFor(parts: readonly string[], scratch: PrivateTempDir): string {
  const prompt = parts.filter((part) => part !== "").join("\n\n");
  if (Buffer.byteLength(prompt) <= mostBytes) return prompt;
  const file = scratch.write("task.md", prompt);
  return `Your task is too long for a message. It is in the file ${file}: read all of it first, in parts, then do what it says.`;
}

/** What the strictest of the CLIs takes: a mebibyte. */
const mostBytes = 1024 * 1024;
