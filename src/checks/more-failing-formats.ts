import { type Format, firstIn, linesUntil } from "./failing-format.ts";

/** Formats that run inside `go test`, which would only name the function that starts them. */
export const insideGo: readonly Format[] = [
  /* ginkgo    */ {
    name: /^ {2}\[FAIL\] (\S.{0,300})$/gm,
    onlyIf: /^Ran \d+ of \d+ Specs in /m,
  },
  /* gocheck   */ {
    name: /^FAIL: \S{1,200}\.go:\d+: (\S{1,300})$/gm,
    onlyIf: /^OOPS: \d/m,
    message: ({ after }) => linesUntil(after().trimStart().replace(/^.*\n/, ""), /^\s*$/, 3),
  },
];

/** Test runners that belong to one language or framework. */
export const moreFormats: readonly Format[] = [
  /* green     */ {
    name: /^(?:Failure|Error) in (\S{1,300})$/gm,
    message: ({ after }) => firstIn(linesUntil(after(), /^Ran \d+ tests? in /, 60), /^([A-Z]\w*(?:: .*)?)$/m),
  },
  /* trial     */ { name: /^(\S{1,200}\.test\w{1,100})\n-{70,90}$/gm, onlyIf: /^\[(?:FAIL|ERROR)\]$/m },
  /* stestr    */ { name: /^\{\d+\} (\S{1,300}) \[[\d.]+s\] \.\.\. FAILED$/gm },
  /* ward      */ { name: /^ FAIL {2}(\S{1,100}:\d+ \S.{0,200}?) +(?:\d+%)?$/gm },
  /* karma     */ {
    name: /^\S.{0,80}? \([^)\n]{1,60}\) (.{1,300}) FAILED$/gm,
    onlyIf: /: Executed \d+ of \d+/,
    message: ({ after }) => firstIn(after(), /^\t(\S.*)/),
  },
  /* karma, mocha */ {
    name: /^ {2,40}✖ (\S.{0,300})$(?=\n {4,60}\S.{0,80} \(.{1,60}\)$)/gm,
    onlyIf: /^FAILED TESTS:$/m,
    message: ({ after }) => firstIn(after().replace(/^.*\n/, ""), /^ +(\S.*)/),
  },
  /* wtr       */ {
    name: /^ {1,20}❌ (\S.{0,300})$/gm,
    onlyIf: /^Finished running tests in /m,
    message: ({ after }) => firstIn(after(), /^ +(\S.*)/),
  },
  /* lab       */ {
    name: /^ {2}\d+\) (.{1,300}):$/gm,
    onlyIf: /^Test duration: /m,
    message: ({ after }) => firstIn(after(), /^ +(\S.*)\n\n +at /m),
  },
  /* forge     */ { name: /^\[FAIL(?:[.:] .{1,200})?\] (\w{1,200}\(.*?\))/gm },
  /* swift testing */ {
    name: /^✘ Test (.{1,200}?) recorded an issue at /gm,
    message: ({ rest }) => firstIn(rest, /at \S+?: (.*)/),
  },
  /* dart      */ {
    name: /^\d\d:\d\d \+\d+(?: ~\d+)?(?: -\d+)?: (\S.{0,300}) \[E\]$/gm,
    message: ({ after }) => linesUntil(after(), /^\s*(?:package:|$)/, 3),
  },
  /* dart, on GitHub */ { name: /^::group::❌ (.{1,300}?) \(failed\)$/gm },
  /* tasty     */ {
    name: /^ {2,40}(\S.{0,200}?): +FAIL(?: \([\d.]+s\))?$/gm,
    onlyIf: /^\d+ out of \d+ tests failed/m,
    message: ({ after }) => linesUntil(after().replace(/^ *\S+:\d+:\n/, ""), /^ *Use -p /, 4),
  },
  /* hunit     */ {
    name: /^### (?:Failure|Error) in: (\S.{0,200})$/gm,
    message: ({ after }) => linesUntil(after().replace(/^\S+:\d+\n/, ""), /Cases: \d/, 4),
  },
  /* alcotest  */ { name: /^│ \[FAIL\] +\S.{0,100}? +\d+ +(\S.{0,200}?)\. *│$/gm },
  /* luaunit   */ {
    name: /^\d+\) ([\w.]{1,200})$/gm,
    onlyIf: /^Ran \d+ tests in .*, \d+ success/m,
    message: ({ after }) => firstIn(after(), /^(\S.*)/),
  },
  /* boost     */ { name: /^\S.{0,200}: error: in "(.{1,200}?)": (.*)$/gm },
  /* criterion */ { name: /^\[FAIL\] (\S{1,200}): \([\d.]+s\)$/gm },
  /* check     */ { name: /^\S{1,200}:\d+:[FE]:(\S{1,200}):\d+: (.*)$/gm },
  /* cmocka    */ { name: /^\[ {2}FAILED {2}\] ([A-Za-z_]\w{0,200})$/gm },
  /* unity     */ { name: /^\S{1,200}:\d+:(\w{1,200}):FAIL(?:: (.*))?$/gm },
  /* cpputest  */ {
    name: /^\S.{0,200}: error: Failure in TEST\((.{1,200})\)$/gm,
    message: ({ after }) => linesUntil(after(), /^\s*$/, 3),
  },
];
