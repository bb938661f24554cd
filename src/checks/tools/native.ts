import {
  atMostEach,
  byPattern,
  linesUntil,
  nearby,
  type PrintedTest,
  upTo,
  withoutSkipped,
} from "./printed.ts";
import { anywhere, lines, program, type Tool } from "./tool.ts";

/** CTest lists the names last; the output of a failed test is above, up to a blank line. */
function ctestMessage({ text, name }: PrintedTest): string | undefined {
  const at = text.indexOf(`: ${name} .`);
  return at === -1
    ? undefined
    : linesUntil(text.slice(at, at + nearby).replace(/^.*\n/, ""), /^\s*(?:$|Start +\d+: )/, 3);
}

export const nativeTools: readonly Tool[] = [
  {
    id: "cmake",
    called: program("ctest|cmake"),
    // Headers that replace those of a test library.
    config: anywhere(
      "{gtest,gmock,catch2,doctest}/**/*.{h,hpp} {boost/test,criterion,CppUTest}/**/*.{h,hpp} {catch,doctest}.{h,hpp} CTestTestfile.cmake CTestConfig.cmake CTestCustom.cmake CMakePresets.json CMakeUserPresets.json",
    ),
    parts: [
      lines(
        "**/{CMakeLists.txt,*.cmake}",
        /WILL_FAIL|SKIP_RE|PASS_RE|\bDISABLED\b|(?:macro|function)\s*\(\s*_*add_|CROSSCOMPILING_EMULATOR|TEST_LAUNCHER|COMPILER_LAUNCHER|RULE_LAUNCH|NDEBUG|(?:DOCTEST|CATCH)_CONFIG_|\bmain=|-Wl,(?:-e|--entry|--wrap)\b|CMAKE_BUILD_\S*TYPE|CMAKE_TOOLCHAIN_FILE|CMAKE_\w+_(?:COMPILE_OBJECT|LINK_EXECUTABLE)|set\s*\(\s*CMAKE_\w+_COMPILER\b/i,
        { alsoNew: true },
      ),
      // Another test, without properties.
      lines(
        "**/CMakeLists.txt",
        /add_test|enable_testing|set_tests_properties|discover_tests|WILL_FAIL|include\s*\(\s*CTest|-include\b|CROSSCOMPILING_EMULATOR|TEST_LAUNCHER/i,
        {
          mayAdd:
            /^(?:add_test\s*\(\s*NAME [\w.:-]+ COMMAND [\w.:-]+|(?:gtest|catch|doctest)_discover_tests\s*\(\s*[\w.:-]+)\s*\)$/,
        },
      ),
    ],
    runner: "ctest",
    summary: /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)/gm,
    tests: byPattern(
      /^[^\S\n]*\d+\/\d+ Test\s+#\d+: (\S+) \.*\s*(?:\*+)?(Passed|Failed|Skipped|Not Run|Exception|Timeout)/gm,
    ),
    failing: {
      name: /^[^\S\n]+\d+ - (\S{1,300}) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted|Not Run)\)/gm,
      message: ctestMessage,
    },
    output: { start: /^Test project /, end: /^\d{1,3}% tests passed/, keep: /^ *\d+\/\d+ Test +#\d+: / },
    partial: /--rerun-failed\b/,
    nothing: /^No tests were found!!!$/,
  },
  {
    id: "meson",
    called: program("meson"),
    parts: [
      lines(
        "**/meson{.build,.options,_options.txt}",
        /\b(?:test|benchmark|add_test_setup)\s*\(|should_fail|ndebug|(?:doctest|catch)_config_|-Wl,(?:-e|--entry|--wrap)\b/i,
        { mayAdd: /^(?:test|benchmark)\s*\(\s*'[^']+'\s*,\s*\w+\s*\)$/, alsoNew: true },
      ),
    ],
    summary: {
      line: /^Ok: +\d+ *\n(?:[A-Z][A-Za-z ]*: +\d+ *(?:\n|$)){1,8}/gm,
      labels: ["Ok", "(?<!Expected )Fail|Unexpected Pass|Timeout", "Skipped|Expected Fail"],
    },
    tests: byPattern(
      /^ *\d+\/\d+ (?<name>\S.{0,200}?) +(?<status>OK|FAIL|ERROR|TIMEOUT|SKIP|EXPECTEDFAIL|UNEXPECTEDPASS) +[\d.]+s\b/gm,
    ),
    failing: /^ {0,5}\d+\/\d+ (\S.{0,200}?) +(?:FAIL|ERROR|TIMEOUT) +[\d.]+s/gm,
    output: { start: /^―+ ✀ +―+$/, end: /^―{20,}$/ },
  },
  {
    id: "automake",
    called: program("make"),
    parts: [
      lines(
        "**/{configure.ac,configure.in,*.m4}",
        /NDEBUG|LOG_(?:COMPILER|DRIVER|FLAGS)|TESTS|\bcheck_|s?include\(/,
        { alsoNew: true },
      ),
    ],
    summary: {
      line: /^# TOTAL: +\d+\n(?:# [A-Z]+: +\d+(?:\n|$)){1,8}/gm,
      labels: ["PASS", "FAIL|XPASS|ERROR", "SKIP|XFAIL"],
    },
    tests: byPattern(/^(?<status>PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): (?<name>\S+)/gm),
    failing: { name: /^(?:FAIL|ERROR): (\S+)$/gm, onlyIf: /^# TOTAL: /m },
    output: { start: /^ {3}.{1,200}: \S{1,200}\/test-suite\.log$/, end: /^Testsuite summary for / },
  },
  {
    id: "bazel",
    called: program("bazel|bazelisk"),
    config: anywhere(".bazelrc .bazelignore user.bazelrc"),
    summary: {
      line: /^Executed \d+ out of (?<total>\d+) tests?: .*\.$/gm,
      words: ["", "fails?", "(?:was|were) skipped"],
    },
    output: { start: /^={5,} Test output for .+:$/, end: /^={60,}$/ },
  },
  {
    id: "gtest",
    summary: {
      line: /^\[==========\] (?<total>\d+) tests? from \d+ test (?:suites?|cases?) ran\..*(?:\n\[ {2}(?:PASSED|FAILED|SKIPPED) +\] \d+ tests?.*)*/gm,
      failed: /\[ {2}FAILED +\] (\d+) tests?/g,
      skipped: /\[ {2}SKIPPED +\] (\d+) tests?/g,
    },
    tests: byPattern(/^\[ +(?<status>OK|FAILED|SKIPPED) +\] (?<name>\S+\.\S+) \(\d+ ms\)/gm),
    failing: /^\[ {2}FAILED {2}\] (\S{1,300}\.\S{1,300})/gm,
  },
  {
    id: "catch2",
    summary: {
      // Also doctest.
      line: /^(?:\[doctest\] )?test cases: +(?<total>\d+) \|.*$|^All tests passed \(\d+ assertions? in (?<total1>\d+) test cases?\)$/gm,
      words: ["", "failed", "skipped"],
    },
  },
  {
    id: "boost test",
    summary: {
      line: /^Running (?<total>\d+) test cases?\.\.\.\n(?:(?!Running ).*\n){0,1000}?\*{3} (?:No errors|(?<failed>\d+) failures? (?:is|are)) detected.*$/gm,
      adjust: atMostEach,
    },
    failing: /^\S.{0,200}: error: in "(.{1,200}?)": (.*)$/gm,
  },
  {
    id: "criterion",
    summary:
      /^\[====\] Synthesis: Tested: \d+ \| Passing: (?<passed>\d+) \| Failing: (?<failed>\d+) \| Crashing: (?<failed1>\d+) *$/gm,
    failing: /^\[FAIL\] (\S{1,200}): \([\d.]+s\)$/gm,
  },
  {
    id: "check",
    summary: /^\d+%: Checks: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<failed1>\d+)$/gm,
    failing: /^\S{1,200}:\d+:[FE]:(\S{1,200}):\d+: (.*)$/gm,
  },
  {
    id: "cmocka",
    summary: {
      line: /^\[={10}\] (?:\S.{0,80}: )?(?<total>\d+) test\(s\) run\.(?:\n(?:\[ {2}(?:PASSED|FAILED|SKIPPED) .*| \d+ [A-Z]+ TEST\(S\)|(?=\n)))*$/gm,
      failed: /FAILED +\] (\d+) test/g,
      skipped: /SKIPPED +\] (\d+) test/g,
    },
    failing: /^\[ {2}FAILED {2}\] ([A-Za-z_]\w{0,200})$/gm,
  },
  {
    id: "unity",
    summary: /^(?<total>\d+) Tests (?<failed>\d+) Failures (?<skipped>\d+) Ignored *$/gm,
    failing: /^\S{1,200}:\d+:(\w{1,200}):FAIL(?:: (.*))?$/gm,
  },
  {
    id: "cpputest",
    summary: {
      line: /^(?:OK|Errors) \((?:(?<failed>\d+) failures, )?\d+ tests, (?<total>\d+) ran, \d+ checks, (?<skipped>\d+) ignored, .*\)$/gm,
      adjust: withoutSkipped,
    },
    failing: { name: /^\S.{0,200}: error: Failure in TEST\((.{1,200})\)$/gm, message: upTo(/^\s*$/, 3) },
  },
];
