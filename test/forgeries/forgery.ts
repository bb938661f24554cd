/**
 * What an agent does to turn a check green without the work. `meaning` is what no look at tests and files can tell: code
 * that knows its tests.
 */
export interface Forgery {
  readonly project: string;
  readonly kind: "configuration" | "shadow" | "exit" | "home" | "cache" | "skip" | "tests" | "meaning";
  readonly title: string;
  readonly agent: string;
}

export type Row = readonly [kind: Forgery["kind"], title: string, agent: string];

export const file = (path: string, ...lines: readonly string[]) =>
  `mkdir -p "$(dirname ${path})" && cat > ${path} <<'END'\n${lines.join("\n")}\nEND\n`;
export const program = (path: string, ...lines: readonly string[]) =>
  `${file(path, "#!/bin/sh", ...lines)}chmod +x ${path}\n`;
