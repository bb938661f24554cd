import { type Format, firstIn, linesUntil, nearby, type PrintedTest } from "./failing-format.ts";
import { insideGo, moreFormats } from "./more-failing-formats.ts";

const vitestMessage = ({ after }: PrintedTest) => firstIn(after(), /^ *(?:→ )?(?! *(?:FAIL|×|✓|❯) )(\S.*)/);

/**
 * More specific formats first; those marked `cut` are for output that lacks its last lines. At the start of a line, `\s`
 * would match all blank lines before it, again and again.
 */
export const formats: readonly Format[] = [
  /* pytest    */ { name: /^(?:FAILED|ERROR) (\S+\.py(?:::.+?)?)(?: - (.*))?$/gm },
  ...insideGo,
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
  /* surefire 2 */ {
    name: /^(?:\[ERROR\] )?(\S{1,300}) +(?:-- )?Time elapsed: [\d.]{1,20} s(?:ec)? +<<< (?:FAILURE|ERROR)!$/gm,
    message: ({ after }) => firstIn(after(), /^(\S.*)/),
  },
  /* jest      */ {
    // A file whose tests could not be loaded, or a test.
    name: /^(?:FAIL (?=.*\n {2}● Test suite failed to run$)| *● (?!Console$|Test suite failed to run$))(.+)$/gm,
    onlyIf: /^Test Suites: /m,
    message: jestMessage,
  },
  /* jest, cut */ { name: /^[^\S\n]*● (.+ › .+)$/gm, message: jestMessage },
  /* vitest    */ {
    // With the name of the project, and of files that could not be loaded.
    name: /^ *FAIL +(?:\|?[\w-]{1,60}\|? +)?(\S+ > .+|\S+(?= \[ )).*$/gm,
    message: vitestMessage,
  },
  /* vitest, cut */ { name: /^ *× +(\S+ > .+?)(?: \d+ms)?$/gm, message: vitestMessage },
  /* uvu       */ {
    name: /^ {3}FAIL {2}(?:\S.{0,100} {2})?"(.{1,300})"$/gm,
    message: ({ after }) => firstIn(after(), /^ +(\S.*)/),
  },
  /* mocha     */ {
    name: /^ {2}\d+\) ((?:\S.{0,300}\n {7,40}){0,8}\S.{0,300}):$/gm,
    onlyIf: /^ +\d+ failing$/m,
    message: ({ after }) => linesUntil(after().trimStart(), /^\s*(?:at |\+ expected - actual|$)/),
  },
  /* jasmine   */ {
    name: /^\d+\) (.{1,300})\n {2}Message:$/gm,
    message: ({ after }) => linesUntil(after(), /^ {2}Stack:/),
  },
  /* eunit     */ {
    name: /^ {2}\d+\) (.{1,300})\n *Failure\/Error: .*$/gm,
    message: ({ after }) => linesUntil(after().trimStart(), /^\s*(?:$|%%|# |\(compared using)/),
  },
  /* node:test */ {
    // As listed at the end, where suites of failing tests are left out, or say only so.
    name: /^✖ (.+?) \([\d.]+ms\)$(?=\n {2}(?!'\d+ subtests? failed'))/gm,
    message: nodeMessage,
  },
  /* node, cut */ { name: /^[^\S\n]*✖ (?!failing tests:)(.+?) \([\d.]+ms\)$/gm, message: nodeMessage },
  /* minitest  */ {
    name: /^(\S{1,200}#\S{1,200}) \[.{1,300}:\d+\]:$/gm,
    message: ({ after }) => linesUntil(after(), /^\s*(?:$|\d+ (?:runs|tests), \d+ assertions)/),
  },
  /* test-unit */ {
    name: /^(?:Failure|Error): (\S{1,200}\(.{1,200}?\)):?(.*)$/gm,
    message: ({ after }) => {
      const own = linesUntil(after(), /^={20}/, 40);
      return /^ {2}\S.*/.exec(own)?.[0] ?? /^<[\s\S]*/m.exec(own)?.[0];
    },
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
    message: ctestMessage,
  },
  /* meson     */ { name: /^ {0,5}\d+\/\d+ (\S.{0,200}?) +(?:FAIL|ERROR|TIMEOUT) +[\d.]+s/gm },
  /* bun       */ { name: /^\(fail\) (.{1,300}?)(?: \[[\d.]+m?s\])?$/gm, message: bunMessage },
  /* deno      */ {
    name: /^(\S.{0,300}?) => \S{1,300}:\d+:\d+$/gm,
    onlyIf: /^FAILED \| \d+ passed/m,
    message: ({ after }) => firstIn(after(), /^error: (?:Error: )?(.*)/),
  },
  /* deno, cut */ { name: /^([^\s{].{0,300}?) \.\.\. FAILED(?: \([^)\n]{1,30}\)){0,2}$/gm },
  /* busted    */ {
    name: /^(?:Failure|Error) -> .{1,300} @ \d+\n(.{1,300})$/gm,
    message: ({ after }) => linesUntil(after(), /^\s*$/),
  },
  /* behave    */ { name: /^ {2}(\S{1,300}\.feature:\d+ {2}\S.{0,300})$/gm },
  /* perl      */ {
    name: /^ *# {3}Failed test '?(.{1,300}?)['.]?$/gm,
    message: ({ after }) =>
      linesUntil(after().replace(/^ *# +at .*\n/, ""), /^(?! *# {4})/, 2).replace(/^ *# +/gm, ""),
  },
  /* gtest     */ { name: /^\[ {2}FAILED {2}\] (\S{1,300}\.\S{1,300})/gm },
  /* nextest   */ { name: /^ +FAIL \[[^\]\n]{1,40}\] +(?:\( *\d+\/\d+\) +)?(\S.*)$/gm },
  /* ava       */ { name: /^ {2}✘ \[fail\]: (.+)$/gm },
  /* robot     */ { name: /^(\S[^|\n]{0,300})\| FAIL \|$(?!\n\d+ tests?, )/gm },
  /* playwright */ { name: /^ {2}✘ +\d+ (.{1,300}?)(?: \([\d.]+m?s\))?$/gm },
  /* automake  */ { name: /^(?:FAIL|ERROR): (\S+)$/gm, onlyIf: /^# TOTAL: /m },
  ...moreFormats,
  /* TAP       */ { name: /^[^\S\n]*not ok \d+ -? ?(.+?)(?: # .*)?$/gm, message: tapMessage },
];

/** Go prints a test's messages after its result, but before it with `-v`. */
function goMessage({ before, after, text }: PrintedTest): string | undefined {
  const pattern = /^[^\S\n]+\S+\.go:\d+: (.*)$/m;
  const first = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
  if (first > text.search(/^--- /m)) return firstIn(linesUntil(after(), goResult, 30), pattern);
  return firstIn(before().split(new RegExp(goResult, "m")).at(-1) ?? "", pattern);
}

const goResult = /^(?:--- |=== |FAIL|ok )/;

function cargoMessage({ text, name }: PrintedTest): string | undefined {
  const at = text.indexOf(`\n---- ${name} stdout ----\n`);
  if (at === -1) return undefined;
  const [, panic] = text.slice(at, at + nearby).split(/^thread .* panicked at .*\n/m);
  return panic && linesUntil(panic, /^(?:note: |stack backtrace:|\s*$)/);
}

/** CTest lists the names last; the output of a failed test is above, up to a blank line. */
function ctestMessage({ text, name }: PrintedTest): string | undefined {
  const at = text.indexOf(`: ${name} .`);
  return at === -1
    ? undefined
    : linesUntil(text.slice(at, at + nearby).replace(/^.*\n/, ""), /^\s*(?:$|Start +\d+: )/, 3);
}

/** RSpec lists the names last; its messages are above, under the description alone. */
function rspecMessage({ text, name }: PrintedTest): string | undefined {
  const at = text.indexOf(`) ${name.replace(/^\S+ # /, "")}\n`);
  const [, failure] = at === -1 ? [] : text.slice(at, at + nearby).split(/^ *Failure\/Error: .*\n/m);
  return failure && linesUntil(failure.replace(/^\s*\n/, ""), /^\s*(?:$|# |\(compared using)/);
}

function jestMessage({ after }: PrintedTest): string | undefined {
  const own = linesUntil(after().replace(/^ *● .*\n/, ""), /^\s*● /, 40);
  const [expected, received] = [/^ *(Expected.*: .*)$/m, /^ *(Received.*: .*)$/m].map((pattern) =>
    firstIn(own, pattern),
  );
  return expected === undefined || received === undefined
    ? firstIn(own, /^ *(\S.*)$/m)
    : `${expected}, ${received}`;
}

/** Bun prints a test's error before its result. */
function bunMessage({ before }: PrintedTest): string | undefined {
  const own = before()
    .split(/^\((?:pass|fail|skip|todo)\) .*$/m)
    .at(-1);
  return firstIn(own ?? "", /^error: (.*(?:\n\nExpected: .*\nReceived: .*)?)/m);
}

/** The reporter `spec` repeats failing tests at the end, with their messages. */
function nodeMessage({ after }: PrintedTest): string | undefined {
  const own = linesUntil(after(), /^\s*(?:at |[✖✔▶ℹ] )/, 20);
  return /^\s+\S/.test(own) ? own : undefined;
}

/** The block of YAML below the result: `error` or `message`, on one line or indented below. Or comments, as by Bats. */
function tapMessage({ after }: PrintedTest): string | undefined {
  const comments = linesUntil(after(), /^(?! *# (?!Subtest: ))/, 3);
  if (comments !== "") return comments.replace(/^ *# +/gm, "");
  const block = linesUntil(after(), /^\s*(?:\.\.\.$|(?:not )?ok \d)/, 40);
  const [, indent = "", value = ""] = /^( *)(?:error|message): *(.*)$/m.exec(block) ?? [];
  if (!/^[|>]/.test(value)) return value.replace(/^(['"])(.*)\1$/, "$2");
  const below = block.slice(block.indexOf(value) + value.length + 1);
  return linesUntil(below, new RegExp(`^ {0,${indent.length}}\\S`), 20);
}
