import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const kinds = ["OUTPUT", "ENV", "PATH", "STEP_SUMMARY", "STATE"] as const;
type Kind = (typeof kinds)[number];

/** The files through which a step communicates with its runner. */
export interface CommandFiles {
  /** `GITHUB_OUTPUT` and the like, for the step's environment. */
  readonly env: Readonly<Record<string, string>>;
  read(kind: Kind): Promise<string>;
}

export async function openCommandFiles(temp: string): Promise<CommandFiles> {
  const name = randomUUID();
  const fileOf = (kind: Kind) => join(temp, `${kind.toLowerCase()}-${name}`);
  await Promise.all(kinds.map((kind) => writeFile(fileOf(kind), "")));
  return {
    env: Object.fromEntries(kinds.map((kind) => [`GITHUB_${kind}`, fileOf(kind)])),
    read: (kind) => readFile(fileOf(kind), "utf8"),
  };
}

/** Reads `name=value` lines and `name<<END` blocks; throws for what a runner would refuse. */
export function parsePairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line === "") continue;
    const [, name = "", sign, rest = ""] = /^(.*?)(=|<<)(.*)$/s.exec(line) ?? [];
    if (sign === undefined || name === "") throw new Error(`Invalid format '${line}'`);
    if (sign === "=") pairs[name] = rest;
    else {
      const end = lines.indexOf(rest, at + 1);
      if (rest === "" || end < 0) throw new Error(`Invalid value. Matching delimiter not found '${rest}'`);
      pairs[name] = lines.slice(at + 1, end).join("\n");
      at = end;
    }
  }
  return pairs;
}
