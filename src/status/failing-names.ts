import { withoutColour } from "./failing-tests.ts";
import { shortened } from "./format.ts";

/** The names of failing tests in a check's output, at most 20; empty if the tool's format is not known. */
export function failingNames(output: string): readonly string[] {
  const text = withoutColour(output);
  for (const pattern of patterns) {
    const names = [...text.matchAll(pattern)].map(([, name = ""]) => shortened(name.trim(), 200));
    if (names.length > 0) return [...new Set(names)].slice(0, mostNames);
  }
  return [];
}

const mostNames = 20;

/** More specific formats first. */
const patterns: readonly RegExp[] = [
  /* pytest       */ /^(?:FAILED|ERROR) (\S+\.py(?:::.+?)?)(?: - .*)?$/gm,
  /* go           */ /^--- FAIL: (\S+)/gm,
  /* cargo        */ /^test (.+) \.\.\. FAILED$/gm,
  /* unittest     */ /^(?:FAIL|ERROR): (\w+ \(.+\))$/gm,
  /* rspec        */ /^rspec (\S+ # .+)$/gm,
  /* gradle       */ /^(\S.* > .+) FAILED$/gm,
  /* maven        */ /^\[ERROR\] {3}(\S+:\d+.*)$/gm,
  /* jest         */ /^\s*● (.+ › .+)$/gm,
  /* vitest       */ /^ *(?:FAIL|×) +(\S+ > .+?)(?: \d+ms)?$/gm,
  /* node:test    */ /^\s*✖ (?!failing tests:)(.+?) \([\d.]+ms\)$/gm,
  /* minitest     */ /^(\S{1,200}#\S{1,200}) \[.{1,300}:\d+\]:$/gm,
  /* phpunit      */ /^\d+\) (\w[\w\\]{0,200}::\S.*)$/gm,
  /* exunit       */ /^ {1,4}\d+\) ((?:test|property|doctest) .{1,300} \(\S{1,200}\))$/gm,
  /* ctest        */ /^\s+\d+ - (\S{1,300}) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted|Not Run)\)/gm,
  /* meson        */ /^ {0,5}\d+\/\d+ (\S.{0,200}?) +(?:FAIL|ERROR|TIMEOUT) +[\d.]+s/gm,
  /* bun          */ /^\(fail\) (.{1,300}?)(?: \[[\d.]+m?s\])?$/gm,
  /* deno         */ /^(\S.{0,300}?) \.\.\. FAILED(?: \([^)\n]{1,30}\))?$/gm,
  /* TAP          */ /^\s*not ok \d+ -? ?(.+?)(?: # .*)?$/gm,
];
