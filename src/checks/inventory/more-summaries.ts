import { atMostEach, label, type SummaryFormat, withoutSkipped } from "./counts.ts";

/** The summaries of runners that belong to one language or framework. */
export const moreSummaries: readonly SummaryFormat[] = [
  {
    runner: "stestr",
    summary: /^Ran: \d+ tests? in [\d.]+ sec\.\n(?: - [A-Z][A-Za-z ]+: \d+(?:\n|$))+/gm,
    counts: {
      passed: label("Passed"),
      failed: label("Failed|Unexpected Success"),
      skipped: label("Skipped|Expected Fail"),
    },
  },
  {
    runner: "ward",
    summary: /^│ +\d+ +Tests? Encountered +│\n(?:│ +\d+ +[A-Z].* +│(?:\n|$))+/gm,
    counts: {
      total: /(\d+) +Tests? Encountered/g,
      passed: /(\d+) +Pass/g,
      failed: /(\d+) +(?:Fail|Unexpected Pass)/g,
      skipped: /(\d+) +(?:Skip|Expected Fail)/g,
    },
  },
  {
    runner: "ginkgo",
    summary: /^Ran \d+ of \d+ Specs in .+\n(?:SUCCESS|FAIL)! -- .*$/gm,
    counts: { passed: "Passed", failed: "Failed", skipped: "Pending|Skipped" },
  },
  {
    runner: "gocheck",
    summary: /^(?:OK|OOPS): \d+ (?:passed|skipped|expected failures|[A-Z-]+)(?:, .*)?$/gm,
    counts: {
      passed: "passed|expected failures",
      failed: "FAILED|(?:FIXTURE-)?PANICKED|MISSED",
      skipped: "skipped",
    },
  },
  {
    runner: "sbt",
    summary:
      /^(?:\[\w+\] )?(?:Passed|Failed|Error): Total \d+, Failed \d+, Errors \d+, Passed \d+(?:, \w+ \d+)*$/gm,
    counts: {
      passed: /Passed (\d+)/g,
      failed: /(?:Failed|Errors) (\d+)/g,
      skipped: /(?:Skipped|Ignored|Canceled|Pending) (\d+)/g,
    },
  },
  {
    runner: "bazel",
    summary: /^Executed \d+ out of \d+ tests?: .*\.$/gm,
    counts: { total: /out of (\d+) tests?/g, failed: "fails?", skipped: "(?:was|were) skipped" },
  },
  {
    runner: "kaocha",
    summary: /^\d+ tests?, \d+ assertions?,(?: \d+ (?:errors?|pending|failures?),?)+\.$/gm,
    counts: { total: "tests?", failed: "errors?|failures?", skipped: "pending" },
    adjust: atMostEach,
  },
  {
    runner: "swift testing",
    summary: /^\S Test run with \d+ tests?(?: in \d+ suites?)? (?:passed|failed) after .*$/gm,
    counts: { total: /with (\d+) tests?/g, failed: /with (\d+) issues?/g },
    adjust: atMostEach,
  },
  {
    runner: "forge",
    summary:
      /^Ran \d+ test suites?(?: in [^:\n]{1,60})?: \d+ tests? passed, \d+ failed, \d+ skipped \(\d+ total tests?\)$/gm,
    counts: { passed: /(\d+) tests? passed/g, failed: "failed", skipped: "skipped" },
  },
  {
    // The second alternative is what it prints in GitHub Actions.
    runner: "dart test",
    summary:
      /^\d\d:\d\d (?:[+~-]\d+ ?){1,3}: (?:All tests passed!|Some tests failed\.|All tests skipped\.)$|^(?:::error::|🎉 )\d+ tests? passed(?:, \d+ (?:failed|skipped))*\.$/gm,
    counts: {
      passed: /\+(\d+)|(\d+) tests? passed/g,
      failed: / -(\d+)|(\d+) failed/g,
      skipped: /~(\d+)|(\d+) skipped/g,
    },
  },
  {
    runner: "tasty",
    summary: /^(?:All \d+|\d+ out of \d+) tests (?:passed|failed) \([\d.]+s\)$/gm,
    counts: { total: /All (\d+)|out of (\d+)/g, failed: /(\d+) out of/g },
  },
  {
    // It rewrites its line after each test. Also Haskell's doctest.
    runner: "hunit",
    summary: /^(?:Cases|Examples): (\d+) {2}Tried: \1 {2}Errors: \d+ {2}Failures: \d+\s*$/gm,
    counts: { total: label("Tried"), failed: label("Errors|Failures") },
  },
  {
    runner: "common test",
    // If all pass, the line is that of Zig.
    summary: /^(?:(?:Failed|Skipped) [^.\n]{1,80}\. ){1,2}Passed \d+ tests\.[ \t]*$/gm,
    counts: { passed: /Passed (\d+)/g, failed: /Failed (\d+)/g, skipped: /Skipped (\d+)/g },
  },
  {
    runner: "phpspec",
    summary: /^\d+ examples? \(\d+ [a-z]+(?:, \d+ [a-z]+)*\)$/gm,
    counts: { passed: "passed", failed: "failed|broken", skipped: "skipped|pending" },
  },
  {
    runner: "luaunit",
    summary: /^Ran \d+ tests? in [\d.]+ seconds, \d+ success.*$/gm,
    counts: { passed: "success(?:es)?", failed: "failures?|errors?", skipped: "skipped" },
  },
  {
    // Not Alcotest, which dune starts: dune does not repeat a test that passed.
    runner: "cabal",
    summary: /^\d+ of \d+ test suites \(\d+ of \d+ test cases\) passed\.$/gm,
    counts: { total: /of (\d+) test cases/g, passed: /\((\d+) of/g },
    adjust: ({ total, passed }) => ({ passed, failed: total - passed, skipped: 0 }),
  },
  {
    runner: "terraform test",
    summary: /^(?:Success|Failure)! \d+ passed, \d+ failed(?:, \d+ skipped)?\.$/gm,
    counts: { passed: "passed", failed: "failed", skipped: "skipped" },
  },
  {
    runner: "dbt",
    summary: /\bDone\. PASS=\d+ WARN=\d+ ERROR=\d+ SKIP=\d+ (?:[A-Z-]{1,20}=\d+ )*TOTAL=\d+$/gm,
    counts: { passed: label("PASS|WARN"), failed: label("ERROR"), skipped: label("SKIP") },
  },
  {
    runner: "conftest",
    summary: /^\d+ tests?, \d+ passed, \d+ warnings?, \d+ failures?, \d+ exceptions?.*$/gm,
    counts: { passed: "passed|warnings?", failed: "failures?|exceptions?", skipped: "skipped" },
  },
  {
    runner: "opa test",
    summary: /^PASS: \d+\/\d+$(?:\n(?:FAIL|ERROR|SKIPPED): \d+\/\d+$)*/gm,
    counts: { passed: label("PASS"), failed: label("FAIL|ERROR"), skipped: label("SKIPPED") },
  },
  {
    // A table for each outermost set, which is the first row. A column is there if its sum is not zero.
    runner: "julia",
    summary:
      /^Test Summary: *\|(?: +(?:Pass|Fail|Error|Broken))* +Total(?: +Time)?\n[^|\n]{0,300}\|(?: +\d+)+(?: +[\dhms.]+)?$/gm,
    counts: {
      total: /\| *(?:\d+ +)*(\d+)(?: +[\dhms.]*[hms.][\dhms.]*)?$/g,
      passed: /\| +Pass .*\n[^|\n]*\| +(\d+)/g,
      skipped: / Broken +Total.*\n[^|\n]*\|(?: +\d+)*? +(\d+) +\d+(?: +[\dhms.]*[hms.][\dhms.]*)?$/g,
    },
    adjust: ({ total, passed, skipped }) => ({ passed, failed: total - passed - skipped, skipped }),
  },
  {
    runner: "web test runner",
    summary:
      /^(?:\S.{0,40}: \|█+\| (\d+)\/\1 test files \| \d+ passed, \d+ failed.*\n){1,20}\nFinished running tests in .*$/gm,
    counts: { passed: /(\d+) passed/g, failed: /(\d+) failed(?! tests)/g, skipped: /(\d+) skipped/g },
  },
  {
    runner: "lab",
    summary: /^(?:\d+ of )?\d+ tests? (?:passed|failed)(?: \(\d+ skipped\))?\nTest duration: .*$/gm,
    counts: { total: "tests?", failed: /^(\d+) of/gm, skipped: "skipped" },
    adjust: withoutSkipped,
  },
];

/** Those of test libraries for C and C++, except the most used ones. */
export const moreNativeSummaries: readonly SummaryFormat[] = [
  {
    runner: "boost test",
    summary:
      /^Running \d+ test cases?\.\.\.\n(?:(?!Running ).*\n){0,1000}?\*{3} (?:No errors|\d+ failures? (?:is|are)) detected.*$/gm,
    counts: { total: /^Running (\d+)/gm, failed: /^\*{3} (\d+) failures?/gm },
    adjust: atMostEach,
  },
  {
    runner: "criterion",
    summary: /^\[====\] Synthesis: Tested: \d+ \| Passing: \d+ \| Failing: \d+ \| Crashing: \d+ *$/gm,
    counts: { passed: label("Passing"), failed: label("Failing|Crashing") },
  },
  {
    runner: "check",
    summary: /^\d+%: Checks: \d+, Failures: \d+, Errors: \d+$/gm,
    counts: { total: label("Checks"), failed: label("Failures|Errors") },
  },
  {
    runner: "cmocka",
    summary:
      /^\[={10}\] (?:\S.{0,80}: )?\d+ test\(s\) run\.(?:\n(?:\[ {2}(?:PASSED|FAILED|SKIPPED) .*| \d+ [A-Z]+ TEST\(S\)|(?=\n)))*$/gm,
    counts: {
      total: /(\d+) test\(s\) run/g,
      failed: /FAILED +\] (\d+) test/g,
      skipped: /SKIPPED +\] (\d+) test/g,
    },
  },
  {
    runner: "unity",
    summary: /^\d+ Tests \d+ Failures \d+ Ignored *$/gm,
    counts: { total: "Tests", failed: "Failures", skipped: "Ignored" },
  },
  {
    runner: "cpputest",
    summary: /^(?:OK|Errors) \((?:\d+ failures, )?\d+ tests, \d+ ran, \d+ checks, \d+ ignored, .*\)$/gm,
    counts: { total: "ran", failed: "failures", skipped: "ignored" },
    adjust: withoutSkipped,
  },
];
