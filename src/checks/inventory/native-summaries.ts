import type { SummaryFormat } from "./counts.ts";

/** The summaries of test runners for C and C++. */
export const nativeSummaries: readonly SummaryFormat[] = [
  {
    runner: "ctest",
    summary: /^\d+% tests passed, \d+ tests? failed out of \d+/gm,
    counts: { total: /out of (\d+)/g, failed: /, (\d+) tests? failed/g },
  },
  {
    // The tests of a makefile that automake generated.
    runner: "automake",
    summary: /^# TOTAL: +\d+\n(?:# [A-Z]+: +\d+(?:\n|$)){1,8}/gm,
    counts: {
      passed: /^# PASS: +(\d+)/gm,
      failed: /^# (?:FAIL|XPASS|ERROR): +(\d+)/gm,
      skipped: /^# (?:SKIP|XFAIL): +(\d+)/gm,
    },
  },
  {
    runner: "meson",
    summary: /^Ok: +\d+ *\n(?:[A-Z][A-Za-z ]*: +\d+ *(?:\n|$)){1,8}/gm,
    counts: {
      passed: /^Ok: +(\d+)/gm,
      failed: /^(?:Fail|Unexpected Pass|Timeout): +(\d+)/gm,
      skipped: /^(?:Skipped|Expected Fail): +(\d+)/gm,
    },
  },
  {
    runner: "gtest",
    summary:
      /^\[==========\] \d+ tests? from \d+ test (?:suites?|cases?) ran\..*(?:\n\[ {2}(?:PASSED|FAILED|SKIPPED) +\] \d+ tests?.*)*/gm,
    counts: {
      total: /\[==========\] (\d+) tests?/g,
      failed: /\[ {2}FAILED +\] (\d+) tests?/g,
      skipped: /\[ {2}SKIPPED +\] (\d+) tests?/g,
    },
  },
  {
    // Also doctest.
    runner: "catch2",
    summary:
      /^(?:\[doctest\] )?test cases: +\d+ \|.*$|^All tests passed \(\d+ assertions? in \d+ test cases?\)$/gm,
    counts: {
      total: /test cases: +(\d+)|in (\d+) test cases?/g,
      failed: /(\d+) failed/g,
      skipped: /(\d+) skipped/g,
    },
  },
  {
    runner: "zig test",
    summary: /^(?:\d+ passed; \d+ skipped; \d+ failed\.|All \d+ tests passed\.)$/gm,
    counts: { passed: /(\d+) (?:tests )?passed/g, failed: "failed", skipped: "skipped" },
  },
];
