import { fileOf, type SuspiciousLine } from "./patch.ts";

/**
 * Finds annotations that a change replaces by `Any` or removes, and new stubs, which type checkers read instead of the
 * code. New code may use `Any`: it weakens no check that there was.
 */
export function looserTypes(patch: string, tools: readonly string[]): readonly SuspiciousLine[] {
  const used = languages.filter(({ of }) => tools.includes(of));
  if (used.length === 0) return [];
  return patch.split(/^(?=diff --git )/m).flatMap((part) => {
    const file = fileOf(part);
    const language = used.find(({ files }) => file !== undefined && files.test(file));
    if (file === undefined || language === undefined) return [];
    const [stub] = isStub.test(file) && /^new file mode /m.test(part) ? linesOf(part, "+") : [];
    const texts = stub === undefined ? looserLines(part, language) : [stub];
    return texts.map((text) => ({ file, text: text.trim() }));
  });
}

/** The added lines with more of the type that means anything than the line they replace. */
function looserLines(part: string, { anything, typed }: Language): readonly string[] {
  const removed = linesOf(part, "-");
  return linesOf(part, "+").filter((line) => {
    const before = removed.filter((old) => nameIn(old) !== "" && nameIn(old) === nameIn(line));
    const isLooser = (old: string) =>
      count(line, anything) > count(old, anything) || (typed.test(old) && !typed.test(line));
    return before.length > 0 && before.every(isLooser);
  });
}

const linesOf = (part: string, sign: "+" | "-") =>
  part
    .replace(/^[^@]*/, "")
    .split("\n")
    .filter((line) => line.startsWith(sign) && line.length < 1000)
    .map((line) => line.slice(1));

/** What is in front of the types: `def add`, `export const add`, or `)` in the last line of parameters. */
const nameIn = (line: string) => line.replace(/(?:->|=>|[:=(]).*$/, "").trim();

const count = (line: string, pattern: RegExp) => line.split(pattern).length - 1;

interface Language {
  /** The id of the tool that checks types. */
  readonly of: string;
  readonly files: RegExp;
  /** The type that accepts anything. */
  readonly anything: RegExp;
  /** A function with types. Some type checkers skip others. */
  readonly typed: RegExp;
}

const languages: readonly Language[] = [
  {
    of: "python linters",
    files: /\.pyi?$/,
    anything: /(?:->|[:[,|])\s*["']?(?:typing\.|t\.)?Any\b/,
    typed: /^\s*(?:async\s+)?def\s.*(?:->|\(.*\w\s*:\s*\w)/,
  },
  {
    of: "tsc",
    files: /\.[cm]?tsx?$/,
    anything: /(?:=>|[:<,|[(])\s*any\b(?=\s*(?:[;,)>\]|&={[]|$))/,
    // Types can be inferred.
    typed: /(?!)/,
  },
];

/** Stubs of other packages are in folders of their own. */
const isStub = /^(?!(?:.*\/)?(?:typings|stubs|[\w-]+-stubs)\/).*\.pyi$/;
