import { type SummaryFormat, sum } from "./counts.ts";

/** The summaries of test runners for C and C++. */
export const nativeSummaries: readonly SummaryFormat[] = [
  {
    runner: "ctest",
    summary: /^\d+% tests passed, \d+ tests? failed out of \d+/gm,
    read: (text) => ({ total: sum(text, /out of (\d+)/g), failed: sum(text, /, (\d+) tests? failed/g) }),
  },
  {
    // The tests of a makefile that automake generated.
    runner: "automake",
    summary: /^# TOTAL: +\d+\n(?:# [A-Z]+: +\d+(?:\n|$)){1,8}/gm,
    read: (text) => ({
      passed: sum(text, /^# PASS: +(\d+)/gm),
      failed: sum(text, /^# (?:FAIL|XPASS|ERROR): +(\d+)/gm),
      skipped: sum(text, /^# (?:SKIP|XFAIL): +(\d+)/gm),
    }),
  },
  {
    runner: "meson",
    summary: /^Ok: +\d+ *\n(?:[A-Z][A-Za-z ]*: +\d+ *(?:\n|$)){1,8}/gm,
    read: (text) => ({
      passed: sum(text, /^Ok: +(\d+)/gm),
      failed: sum(text, /^(?:Fail|Unexpected Pass|Timeout): +(\d+)/gm),
      skipped: sum(text, /^(?:Skipped|Expected Fail): +(\d+)/gm),
    }),
  },
  {
    runner: "gtest",
    summary:
      /^\[==========\] \d+ tests? from \d+ test (?:suites?|cases?) ran\..*(?:\n\[ {2}(?:PASSED|FAILED|SKIPPED) +\] \d+ tests?.*)*/gm,
    read: (text) => ({
      total: sum(text, /\[==========\] (\d+) tests?/g),
      failed: sum(text, /\[ {2}FAILED +\] (\d+) tests?/g),
      skipped: sum(text, /\[ {2}SKIPPED +\] (\d+) tests?/g),
    }),
  },
  {
    // Also doctest.
    runner: "catch2",
    summary:
      /^(?:\[doctest\] )?test cases: +\d+ \|.*$|^All tests passed \(\d+ assertions? in \d+ test cases?\)$/gm,
    read: (text) => ({
      total: sum(text, /test cases: +(\d+)/g) + sum(text, /in (\d+) test cases?/g),
      failed: sum(text, /(\d+) failed/g),
      skipped: sum(text, /(\d+) skipped/g),
    }),
  },
];
