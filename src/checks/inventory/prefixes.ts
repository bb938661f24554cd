/**
 * The outputs of programs that a tool runs side by side, if it marks each line with the one that printed it: pnpm, Yarn
 * and concurrently. Not Turborepo, which may leave out what a cached task printed.
 */
export function outputsIn(text: string): readonly string[] {
  const prefixes = [...text.matchAll(announced)].map(([, pnpm, ...others]) =>
    pnpm === undefined ? (others.find((one) => one !== undefined) ?? "") : `${pnpm}: `,
  );
  if (prefixes.length === 0) return [text];
  const groups = new Map(["", ...prefixes].map((one): [string, string[]] => [one, []]));
  for (const line of text.split("\n")) {
    const [mark = ""] = anyMark.exec(line) ?? [];
    const prefix = groups.has(mark) ? mark : "";
    groups.get(prefix)?.push(line.slice(prefix.length));
  }
  return [...groups.values()].map((lines) => lines.join("\n"));
}

/** A line that shows that a tool marks lines, and how. */
const announced =
  /^(?:([\w@./-]+ [\w:.-]+)\$ |(\[[^\]\n]{1,100}\]: )Process started|(\[[^\]\n]{1,100}\] ).* exited with code \d+$)/gm;

const anyMark = /^(?:[\w@./-]+ [\w:.-]+: |\[[^\]]{1,100}\]:? )/;
