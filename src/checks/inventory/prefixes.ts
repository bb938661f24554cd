/**
 * The outputs of programs that a tool runs side by side, if it marks each line with the one that printed it, as
 * Turborepo, Nx, Lerna, pnpm, Yarn, concurrently, Docker Compose and act do, and without the times before the lines.
 */
export const outputsIn = (text: string): readonly string[] => markedOutputs(text).map(({ output }) => output);

/** The output of one of these programs. */
export interface MarkedOutput {
  /** The package, task or service that printed it, empty for what is not marked. */
  readonly label: string;
  readonly output: string;
}

/** The same with the labels. A tool's marks may contain another's: a service that runs tests of several packages. */
export function markedOutputs(text: string, depth = 0): readonly MarkedOutput[] {
  const lines = withoutTimes(text.split("\n"));
  const groups = new Map<string, string[]>();
  for (const key of ["", ...announcedIn(lines.join("\n"))]) groups.set(key, []);
  if (groups.size === 1 || depth === mostDepth) return [{ label: "", output: lines.join("\n") }];
  for (const line of lines) {
    const mark = markOf(line, groups);
    groups.get(keyOf(mark))?.push(line.slice(mark.length));
  }
  return [...groups].flatMap(([label, own]) =>
    label === ""
      ? [{ label, output: own.join("\n") }]
      : markedOutputs(own.join("\n"), depth + 1).map((inner) => ({
          label: inner.label === "" ? label : inner.label,
          output: inner.output,
        })),
  );
}

const mostDepth = 3;

/** Output of Turborepo that leaves out what cached tasks printed: the number of its tests says nothing. */
export const leavesOutCached = (text: string) => /: cache hit, suppressing (?:logs|output)/.test(text);

/** How act begins lines of its own. */
const ofAct = "(?:⭐|🚀|🐳|✅|❌|🏁|💬|❓)";
const label = "[\\w@./-]+";
/** How tools mark lines: `[web] `, `[web]: `, `[web]   | `; `packages/a test: `; `web-1  | `; `@x/web:test: `. */
const marks = [
  `\\[[^\\]\\n]{1,100}\\](?! *${ofAct})(?: +\\| ?|: ?| ?)`,
  `${label} [\\w:.-]+: ?`,
  `${label}(?::[\\w:.-]+)? +\\| ?`,
  `${label}(?::[\\w.-]+)*: ?`,
];
const anyMark = marks.map((mark) => new RegExp(`^${mark}`));

const keyOf = (mark: string) => mark.replace(/[\s|:]+$/, "");

/** The first mark of a line that one of the groups has. */
function markOf(line: string, groups: ReadonlyMap<string, unknown>): string {
  for (const mark of anyMark) {
    const [found] = mark.exec(line) ?? [];
    if (found !== undefined && groups.has(keyOf(found))) return found;
  }
  return "";
}

/** Lines by which tools show that they mark lines, and how; the mark is the first group that is there. */
const announcements: readonly RegExp[] = [
  // pnpm, before it starts a script.
  new RegExp(`^(${label} [\\w:.-]+)\\$ `, "gm"),
  // Yarn and concurrently, when one starts or ends.
  /^(\[[^\]\n]{1,100}\]): Process started/gm,
  /^(\[[^\]\n]{1,100}\]) .* exited with code \d+$/gm,
  // Turborepo, for each task.
  new RegExp(`^(${label}:[\\w:.-]+): cache (?:miss|hit|bypass)\\b`, "gm"),
  // act, for each step of a job.
  new RegExp(`^(\\[[^\\]\\n]{1,100}\\]) *${ofAct}`, "gm"),
  // What a package manager prints when it starts a script, behind any mark.
  new RegExp(`^(${marks.join("|")}) *(?:> \\S+@\\S+ [\\w:.-]+(?: /.*)?|yarn run v\\d.*)$`, "gm"),
];

/** `Attaching to web-1, db-1`, by Docker Compose. */
const attached = /^Attaching to (.*)$/gm;

const announcedIn = (text: string): readonly string[] => [
  ...announcements.flatMap((pattern) => [...text.matchAll(pattern)].map(([, mark = ""]) => keyOf(mark))),
  ...[...text.matchAll(attached)].flatMap(([, names = ""]) => names.split(/,\s*/).map((name) => name.trim())),
];

/** The times that `act`, Docker, `ts` and logs of jobs put before each line, if they are before almost all. */
function withoutTimes(lines: readonly string[]): readonly string[] {
  const printed = lines.filter((line) => line.trim() !== "");
  const timed = printed.filter((line) => time.test(line));
  if (timed.length < 3 || timed.length < printed.length * 0.8) return lines;
  return lines.map((line) => line.replace(time, ""));
}

const time =
  /^(?:[^\t\n]+\t[^\t\n]+\t)?\uFEFF?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\[\d\d:\d\d:\d\d(?:[.,]\d+)?\]|\d\d:\d\d:\d\d(?:[.,]\d+)?) ?/;

/**
 * An output in the parts that scripts of npm print, each begun by a line such as `> @x/web@1.0.0 test`. What one script
 * printed each time that it ran is one part.
 */
export function scriptsIn(output: string): readonly string[] {
  const parts = output.split(/^(?=> \S+@\S+ [\w:.-]+(?: \/.*)?$)/m);
  return [...Map.groupBy(parts, (part) => part.slice(0, part.indexOf("\n"))).values()].map((same) =>
    same.join(""),
  );
}
