import { withoutColour } from "./failing-count.ts";

/** A failing test. */
export interface FailingTest {
  readonly name: string;
  /** Why it failed, on one line, if the output says so: usually the failed assertion. */
  readonly message?: string;
}

/** The failing tests in a check's output, at most 20; empty if the tool's format is not known. */
export function failingTests(output: string): readonly FailingTest[] {
  const text = withoutColour(output);
  for (const { name: pattern, message } of formats) {
    const found = [...text.matchAll(pattern)];
    if (found.length > 0) return uniqueTests(found, { text, message });
  }
  return [];
}

const mostTests = 20;
const longestName = 200;
const longestMessage = 300;

/** Where a test is named in the output. */
interface Place {
  readonly name: string;
  /** The rest of its line. */
  readonly rest: string;
  /** The text before its line, and after it. */
  before(): string;
  after(): string;
  readonly text: string;
}

interface Format {
  /** Matches whole lines; the first group is the test's name, the second one may be its message. */
  readonly name: RegExp;
  message?(place: Place): string | undefined;
}

function uniqueTests(
  found: readonly RegExpExecArray[],
  { text, message }: { readonly text: string; readonly message: Format["message"] },
): readonly FailingTest[] {
  const tests = new Map<string, string | undefined>();
  for (const { 0: line, 1: title = "", 2: rest = "", index } of found) {
    const name = cut(title.trim(), longestName);
    if (tests.get(name) !== undefined || (tests.size === mostTests && !tests.has(name))) continue;
    const place: Place = {
      name: title.trim(),
      rest,
      text,
      before: () => text.slice(Math.max(0, index - nearby), index),
      after: () => text.slice(index + line.length + 1, index + line.length + 1 + nearby),
    };
    tests.set(name, onOneLine(message === undefined ? rest : message(place)));
  }
  return [...tests].map(([name, why]) => (why === undefined ? { name } : { name, message: why }));
}

/** How far from a test's name its message is looked for, in characters: bounds the work for hostile output. */
const nearby = 2_000;

function onOneLine(message = ""): string | undefined {
  const line = withoutDiff(message).replace(/\s+/g, " ").trim();
  return line ? cut(line.replace(/^AssertionError \[ERR_ASSERTION\]: /, ""), longestMessage) : undefined;
}

/** Of a diff by node:assert: `Expected values to be strictly equal: 1 instead of 2`. */
function withoutDiff(message: string): string {
  const [title = "", diff] = message.split(/^\s*\+ actual - expected$/m);
  if (diff === undefined) return message;
  const side = (sign: RegExp) => [...diff.matchAll(sign)].map(([, line = ""]) => line.trim()).join(" ");
  return `${title} ${side(/^\s*\+ (.*)$/gm)} instead of ${side(/^\s*- (.*)$/gm)}`;
}

const cut = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`.toWellFormed();

/** The lines up to the first one that matches `end`. */
function linesUntil(text: string, end: RegExp, most = 6): string {
  const lines = text.split("\n");
  const last = lines.findIndex((line) => end.test(line));
  return lines.slice(0, Math.min(most, last === -1 ? most : last)).join("\n");
}

/** The first match of a pattern's first group. */
const firstIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1];

/** More specific formats first. At the start of a line, `\s` would match all blank lines before it, again and again. */
const formats: readonly Format[] = [
  /* pytest    */ { name: /^(?:FAILED|ERROR) (\S+\.py(?:::.+?)?)(?: - (.*))?$/gm },
  /* go        */ { name: /^--- FAIL: (\S+).*$/gm, message: goMessage },
  /* cargo     */ { name: /^test (.+) \.\.\. FAILED$/gm, message: cargoMessage },
  /* unittest  */ {
    name: /^(?:FAIL|ERROR): (\w+ \(.+\))$/gm,
    message: ({ after }) => firstIn(linesUntil(after(), /^={20}/, 60), /^(?!Traceback)([A-Z_a-z].*)$/m),
  },
  /* rspec     */ { name: /^rspec (\S+ # .+)$/gm, message: rspecMessage },
  /* gradle    */ {
    name: /^(\S.{0,300}? > .{1,300}) FAILED$/gm,
    message: ({ after }) => firstIn(after(), /^ {4}(\S.*)/),
  },
  /* maven     */ { name: /^\[ERROR\] {3}(\S+:\d+.*)$/gm },
  /* jest      */ { name: /^[^\S\n]*● (.+ › .+)$/gm, message: jestMessage },
  /* vitest    */ {
    name: /^ *(?:FAIL|×) +(\S+ > .+?)(?: \d+ms)?$/gm,
    message: ({ after }) => firstIn(after(), /^ *(?:→ )?(?! *(?:FAIL|×|✓|❯) )(\S.*)/),
  },
  /* node:test */ { name: /^[^\S\n]*✖ (?!failing tests:)(.+?) \([\d.]+ms\)$/gm, message: nodeMessage },
  /* minitest  */ {
    name: /^(\S{1,200}#\S{1,200}) \[.{1,300}:\d+\]:$/gm,
    message: ({ after }) => linesUntil(after(), /^\s*(?:$|\d+ (?:runs|tests), \d+ assertions)/),
  },
  /* phpunit   */ {
    name: /^\d+\) (\w[\w\\]{0,200}::\S.*)$/gm,
    message: ({ after }) => linesUntil(after(), /^\s*$/, 2),
  },
  /* exunit    */ {
    name: /^ {1,4}\d+\) ((?:test|property|doctest) .{1,300} \(\S{1,200}\))$/gm,
    message: ({ after }) => linesUntil(after().replace(/^.*\n/, ""), /^\s*(?:$|stacktrace:)/),
  },
  /* ctest     */ {
    name: /^[^\S\n]+\d+ - (\S{1,300}) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted|Not Run)\)/gm,
  },
  /* meson     */ { name: /^ {0,5}\d+\/\d+ (\S.{0,200}?) +(?:FAIL|ERROR|TIMEOUT) +[\d.]+s/gm },
  /* bun       */ { name: /^\(fail\) (.{1,300}?)(?: \[[\d.]+m?s\])?$/gm },
  /* deno      */ { name: /^(\S.{0,300}?) \.\.\. FAILED(?: \([^)\n]{1,30}\))?$/gm },
  /* TAP       */ { name: /^[^\S\n]*not ok \d+ -? ?(.+?)(?: # .*)?$/gm, message: tapMessage },
];

/** Go prints a test's messages after its result, but before it with `-v`. */
function goMessage({ before, after, text }: Place): string | undefined {
  const pattern = /^[^\S\n]+\S+\.go:\d+: (.*)$/m;
  const first = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
  if (first > text.search(/^--- /m)) return firstIn(linesUntil(after(), goResult, 30), pattern);
  return firstIn(before().split(new RegExp(goResult, "m")).at(-1) ?? "", pattern);
}

const goResult = /^(?:--- |=== |FAIL|ok )/;

function cargoMessage({ text, name }: Place): string | undefined {
  const at = text.indexOf(`\n---- ${name} stdout ----\n`);
  if (at === -1) return undefined;
  const [, panic] = text.slice(at, at + nearby).split(/^thread .* panicked at .*\n/m);
  return panic && linesUntil(panic, /^(?:note: |stack backtrace:|\s*$)/);
}

/** RSpec lists the names last; its messages are above, under the description alone. */
function rspecMessage({ text, name }: Place): string | undefined {
  const at = text.indexOf(`) ${name.replace(/^\S+ # /, "")}\n`);
  const [, failure] = at === -1 ? [] : text.slice(at, at + nearby).split(/^ *Failure\/Error: .*\n/m);
  return failure && linesUntil(failure.replace(/^\s*\n/, ""), /^\s*(?:$|# |\(compared using)/);
}

function jestMessage({ after }: Place): string | undefined {
  const own = linesUntil(after(), /^\s*● /, 40);
  const [expected, received] = [/^ *(Expected.*: .*)$/m, /^ *(Received.*: .*)$/m].map((pattern) =>
    firstIn(own, pattern),
  );
  return expected === undefined || received === undefined
    ? firstIn(own, /^ *(\S.*)$/m)
    : `${expected}, ${received}`;
}

/** The reporter `spec` repeats failing tests at the end, with their messages. */
function nodeMessage({ after }: Place): string | undefined {
  const own = linesUntil(after(), /^\s*(?:at |[✖✔▶ℹ] )/, 20);
  return /^\s+\S/.test(own) ? own : undefined;
}

/** The block of YAML below the result: `error` or `message`, on one line or indented below. */
function tapMessage({ after }: Place): string | undefined {
  const block = linesUntil(after(), /^\s*(?:\.\.\.$|(?:not )?ok \d)/, 40);
  const [, indent = "", value = ""] = /^( *)(?:error|message): *(.*)$/m.exec(block) ?? [];
  if (!/^[|>]/.test(value)) return value.replace(/^(['"])(.*)\1$/, "$2");
  const below = block.slice(block.indexOf(value) + value.length + 1);
  return linesUntil(below, new RegExp(`^ {0,${indent.length}}\\S`), 20);
}
