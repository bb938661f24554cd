import { atMostEach, label, type SummaryFormat, withoutSkipped } from "./counts.ts";
import { moreNativeSummaries, moreSummaries } from "./more-summaries.ts";
import { nativeSummaries } from "./native-summaries.ts";

/** The summaries of test runners, the more specific ones first: an earlier format hides its lines from later ones. */
export const summaryFormats: readonly SummaryFormat[] = [
  {
    runner: "node:test",
    summary: /^(?:(?:#|ℹ) (?:tests|suites|pass|fail|cancelled|skipped|todo) \d+[ \t]*(?:\n|$))+/gm,
    counts: {
      passed: /^\S (?:pass|todo) (\d+)/gm,
      failed: /^\S (?:fail|cancelled) (\d+)/gm,
      skipped: /^\S skipped (\d+)/gm,
    },
  },
  {
    runner: "phpunit",
    summary: /^Tests: \d+, Assertions: .*$|^OK \(\d+ tests?, \d+ assertions?\)$/gm,
    counts: {
      total: /\bTests: (\d+)|^OK \((\d+) tests?/gm,
      failed: label("Failures|Errors"),
      skipped: label("Skipped|Incomplete"),
    },
  },
  {
    runner: "scalatest",
    // sbt counts the same tests once more.
    summary:
      /^.{0,20}Tests: succeeded \d+, failed \d+.*$(?:(?:\n.*){0,3}?\n.{0,20}(?:Passed|Failed|Error): Total \d.*$)?/gm,
    counts: {
      passed: /succeeded (\d+)/g,
      failed: /(?:failed|canceled) (\d+)/g,
      skipped: /(?:ignored|pending) (\d+)/g,
    },
  },
  {
    runner: "vitest or jest",
    summary: /^[^\S\n]*Tests:?[^\S\n]+\d.*$/gm,
    counts: {
      total: /(\d+) total\b|\((\d+)\)/g,
      passed: "passed|todo",
      failed: "failed",
      skipped: "skipped|pending",
    },
  },
  {
    runner: "cargo test",
    summary: /^test result: .*$/gm,
    counts: { passed: "passed", failed: "failed", skipped: "ignored" },
  },
  {
    runner: "cargo nextest",
    summary: /^[^\S\n]*Summary \[.*?\]\s+\d+(?:\/\d+)? tests? run: .*$/gm,
    counts: { passed: "passed", failed: "failed|timed out|exec failed", skipped: "skipped" },
  },
  {
    // Lines for single classes have the class or the time after the numbers.
    runner: "maven",
    summary:
      /^(?:\[\w+\]\s*)?Tests run: \d+, Failures: \d+, Errors: \d+(?:, Skipped: \d+)?(?:, Flakes: \d+)?[ \t]*$/gm,
    counts: { total: label("Tests run"), failed: label("Failures|Errors"), skipped: label("Skipped") },
  },
  {
    runner: "pytest",
    omitsZeros: true,
    summary:
      /^=*[^\S\n]*(?:no tests ran|\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.*) in \d[\d.]*s\b.*$/gm,
    counts: { passed: "passed|xpassed", failed: "failed|errors?", skipped: "skipped|xfailed" },
  },
  {
    runner: "mocha",
    summary:
      /^[^\S\n]+\d+ (?:passing(?: \([^)\n]*\))?|failing|pending)[ \t]*(?:\n[^\S\n]+\d+ (?:failing|pending)[ \t]*$)*/gm,
    counts: { passed: "passing", failed: "failing", skipped: "pending" },
  },
  {
    runner: "minitest",
    summary: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ (?:skips|pendings).*$/gm,
    counts: { total: /^(\d+) (?:runs|tests)/gm, failed: "failures|errors", skipped: "skips|pendings" },
  },
  {
    // Also ExUnit, hspec, Bats and Jasmine.
    runner: "rspec",
    summary: /^\d+ (?:examples?|tests?|specs?|of \d+ specs?), \d+ failures?\b.*$/gm,
    counts: {
      total: /^(\d+) (?:examples?|tests?|specs?)/gm,
      failed: "failures?|invalid|errors? occurred outside of examples",
      skipped: "pending|skipped|excluded",
    },
  },
  {
    // Also Twisted's trial and green.
    runner: "unittest",
    summary:
      /^Ran \d+ tests? in [\d.]+s(?: using \d+ process(?:es)?)?\n\s*(?:OK|PASSED|FAILED|NO TESTS RAN)(?: \([a-z ]+=[^)\n]*\))?$/gm,
    counts: {
      total: /^Ran (\d+) tests?/gm,
      failed: label("failures|errors|unexpected successes"),
      skipped: label("skipped|skips|expected failures|expectedFailures"),
    },
    // unittest counts subtests that failed or were skipped, of which a test may have several. Setup may fail before the
    // first test.
    adjust({ total, failed, skipped }) {
      const most = total === 0 ? Number.POSITIVE_INFINITY : total;
      const skips = Math.min(most, skipped);
      return { total, failed: Math.min(most - skips, failed), skipped: skips };
    },
  },
  {
    runner: "dotnet test",
    // The second alternative is the terminal logger's line.
    summary:
      /^[^\S\n]*(?:Failed|Passed|Skipped)!\s+- Failed:.*$|^Test summary: total: \d+, failed: \d+, .*$/gm,
    counts: { passed: label("Passed|succeeded"), failed: label("Failed"), skipped: label("Skipped") },
  },
  {
    runner: "gradle",
    summary: /^\d+ tests? completed, \d+ failed(?:, \d+ skipped)?/gm,
    counts: { total: /^(\d+) tests? completed/gm, failed: "failed", skipped: "skipped" },
  },
  {
    // The last line of each browser, which alone has a duration; or the summary of the reporter `mocha`.
    runner: "karma",
    summary:
      /^\S.{0,100}: Executed \d+ of \d+\b.{0,100} \((?!0 secs \/)\d[^)\n]{0,40} \/ [^)\n]{1,40}\)$|^SUMMARY:\n\S \d+ tests? completed(?:\n|$)(?:\S \d+ tests? (?:failed|skipped)(?:\n|$))*/gm,
    counts: {
      total: /Executed (\d+) of|(\d+) tests? (?:completed|failed)/g,
      failed: /\((\d+) FAILED\)|(\d+) tests? failed/g,
      skipped: /\(skipped (\d+)\)|(\d+) tests? skipped/g,
    },
    adjust: withoutSkipped,
  },
  {
    runner: "deno test",
    summary: /^(?:ok|FAILED) \| \d+ passed.*$/gm,
    counts: { passed: /\| (\d+) passed/g, failed: /\| (\d+) failed/g, skipped: /\| (\d+) ignored/g },
  },
  {
    runner: "bun test",
    summary: /^[^\S\n]*\d+ pass[ \t]*\n(?:[^\S\n]*\d+ (?:skip|todo)[ \t]*\n)*(?:[^\S\n]*\d+ fail[ \t]*$)/gm,
    counts: { passed: "pass", failed: "fail", skipped: "skip|todo" },
  },
  ...nativeSummaries,
  ...moreNativeSummaries,
  {
    // A line for each file with failures, then the total.
    runner: "prove",
    summary: /^Files=\d+, Tests=\d+, .*$|^\S.{0,300} \(Wstat: \d.{0,40} Tests: \d+ Failed: \d+\)$/gm,
    counts: { total: /Tests=(\d+)/g, failed: / Failed: (\d+)/g },
    adjust: ({ total, failed }) => ({ passed: total - failed, failed }),
  },
  {
    runner: "swift test",
    summary: /^.*Executed \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures? .*$/gm,
    counts: {
      total: /Executed (\d+) tests?/g,
      failed: /(\d+) failures? \(/g,
      skipped: /(\d+) tests? skipped/g,
    },
  },
  {
    runner: "busted",
    summary: /^\d+ success(?:es)? \/ \d+ failures? \/ \d+ errors? \/ \d+ pending.*$/gm,
    counts: { passed: "success(?:es)?", failed: "failures?|errors?", skipped: "pending" },
  },
  {
    // Its reporter for R CMD check prints the line in front of the details and again below them.
    runner: "testthat",
    summary:
      /^\[ FAIL \d+ \| WARN \d+ \| SKIP \d+ \| PASS \d+ \].*$(?!\n\n(?:══|==) (?:Failed|Skipped|Warnings)\b)/gm,
    counts: { passed: /PASS (\d+)/g, failed: /FAIL (\d+)/g, skipped: /SKIP (\d+)/g },
  },
  {
    runner: "clojure.test",
    summary: /^Ran \d+ tests containing \d+ assertions\.\n\d+ failures, \d+ errors\.$/gm,
    counts: { total: /^Ran (\d+)/gm, failed: "failures|errors" },
  },
  {
    runner: "gotestsum",
    summary: /^DONE (?:\d+ runs, )?\d+ tests?(?:, \d+ (?:skipped|failures?|errors?))* in [\d.]+m?s$/gm,
    counts: { total: /(\d+) tests?\b/g, failed: "failures?", skipped: "skipped" },
  },
  {
    runner: "uvu",
    summary: /^ {2}Total: +\d+\n {2}Passed: +\d+\n {2}Skipped: +\d+$/gm,
    counts: { total: label("Total"), passed: label("Passed"), skipped: label("Skipped") },
    adjust: ({ total, passed, skipped }) => ({ passed, failed: total - passed, skipped }),
  },
  {
    // Behave and Cucumber.
    runner: "scenarios",
    summary: /^\d+ scenarios? (?:passed(?:, \d+ [a-z_]+)*|\([^)\n]*\))$/gm,
    counts: {
      total: /^(\d+) scenarios? \(/g,
      passed: /(\d+) (?:scenarios? )?passed\b/g,
      failed: "failed|error|hook_error|cleanup_error|undefined|ambiguous",
      skipped: "skipped|pending|untested",
    },
  },
  {
    // Each suite prints such a line; the last one is the total.
    runner: "robot",
    summary: /^\d+ tests?, \d+ passed, \d+ failed(?:, \d+ skipped)?\n=+\n(?=Output: )/gm,
    counts: { passed: "passed", failed: "failed", skipped: "skipped" },
  },
  {
    // shunit2 counts failed and skipped assertions, of which a test may have several.
    runner: "shunit2",
    summary: /^Ran \d+ tests?\.\n\n(?:OK|FAILED)(?: \([^)\n]*\))?$/gm,
    counts: { total: /^Ran (\d+)/gm, failed: label("failures"), skipped: label("skipped") },
    adjust: atMostEach,
  },
  {
    runner: "ava",
    omitsZeros: true,
    summary:
      /^[^\S\n]+\d+ tests? (?:passed|failed|skipped)(?:\n[^\S\n]+\d+ (?:tests? \w+|known failures?|uncaught exceptions?|unhandled rejections?))*$/gm,
    counts: {
      passed: /(\d+) tests? passed/g,
      failed: /(\d+) tests? failed/g,
      skipped: /(\d+) tests? skipped/g,
    },
  },
  {
    runner: "playwright",
    omitsZeros: true,
    // Each number is followed by the tests it counts.
    summary:
      /(?:^ {2}\d+ (?:passed \([^)\n]+\)|failed|flaky|skipped|did not run|interrupted)[ \t]*(?:\n {4}.*)*(?:\n|$))+/gm,
    counts: {
      passed: /^ {2}(\d+) (?:passed|flaky)/gm,
      failed: /^ {2}(\d+) (?:failed|interrupted)/gm,
      skipped: /^ {2}(\d+) (?:skipped|did not run)/gm,
    },
  },
  ...moreSummaries,
];
