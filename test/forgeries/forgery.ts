/** A small repository with one fault that its tests find. */
export interface Project {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly check: string;
  /** Bash that mends it. */
  readonly fix: string;
  /** The program that must be there. */
  readonly needs: string;
}

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

/** What comes along with an honest fix. */
export type HonestRow = readonly [title: string, also: string];
