import type { PrivateTempDir } from "../../processes/private-temp-dir.ts";

/** The text for stdin: the non-empty parts or, if that is too long, a sentence that names a file with them. */
export const promptFor = (parts: readonly string[], scratch: PrivateTempDir): string =>
  shortened(parts, { scratch, most: mostOfInput, name: "task.md" });

/** The same for a command-line argument. */
export const promptArgument = (parts: readonly string[], scratch: PrivateTempDir): string =>
  shortened(parts, { scratch, most: mostOfArgument, name: "whole-task.md" });

interface Shortening {
  readonly scratch: PrivateTempDir;
  /** In bytes. */
  readonly most: number;
  /** The name of the file. */
  readonly name: string;
}

function shortened(parts: readonly string[], { scratch, most, name }: Shortening): string {
  const prompt = parts.filter((part) => part !== "").join("\n\n");
  if (Buffer.byteLength(prompt) <= most) return prompt;
  const file = scratch.write(name, prompt);
  return `Your task is too long for a message. It is in the file ${file}: read all of it first, in parts, then do what it says.`;
}

/** The limit of the strictest program, in bytes. */
const mostOfInput = 1024 * 1024;

/** Linux refuses arguments of 128 KiB or more. */
const mostOfArgument = 120 * 1024;
