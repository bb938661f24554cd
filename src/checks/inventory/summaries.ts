import { failures, labelled, type SummaryFormat, sum } from "./counts.ts";
import { nativeSummaries } from "./native-summaries.ts";
import { scriptedSummaries } from "./scripted-summaries.ts";

/** The summaries of test runners, the more specific ones first: an earlier format hides its lines from later ones. */
export const summaryFormats: readonly SummaryFormat[] = [
  {
    runner: "node:test",
    summary: /^(?:(?:#|ℹ) (?:tests|suites|pass|fail|cancelled|skipped|todo) \d+[ \t]*(?:\n|$))+/gm,
    read: (text) => ({
      passed: sum(text, /^\S (?:pass|todo) (\d+)/gm),
      failed: sum(text, /^\S (?:fail|cancelled) (\d+)/gm),
      skipped: sum(text, /^\S skipped (\d+)/gm),
    }),
  },
  {
    runner: "phpunit",
    summary: /^Tests: \d+, Assertions: .*$|^OK \(\d+ tests?, \d+ assertions?\)$/gm,
    read: (text) => ({
      total: labelled(text, "Tests") + sum(text, /^OK \((\d+) tests?/gm),
      failed: labelled(text, "Failures") + labelled(text, "Errors"),
      skipped: labelled(text, "Skipped") + labelled(text, "Incomplete"),
    }),
  },
  {
    runner: "scalatest",
    summary: /^.{0,20}Tests: succeeded \d+, failed \d+.*$/gm,
    read: (text) => ({
      passed: sum(text, /succeeded (\d+)/g),
      failed: sum(text, /(?:failed|canceled) (\d+)/g),
      skipped: sum(text, /(?:ignored|pending) (\d+)/g),
    }),
  },
  {
    runner: "vitest or jest",
    summary: /^[^\S\n]*Tests:?[^\S\n]+\d.*$/gm,
    read: (text) => ({
      passed: failures("passed|todo")(text),
      failed: failures("failed")(text),
      skipped: failures("skipped|pending")(text),
    }),
  },
  {
    runner: "cargo test",
    summary: /^test result: .*$/gm,
    read: (text) => ({
      passed: failures("passed")(text),
      failed: failures("failed")(text),
      skipped: failures("ignored")(text),
    }),
  },
  {
    runner: "cargo nextest",
    summary: /^[^\S\n]*Summary \[.*?\]\s+\d+(?:\/\d+)? tests? run: .*$/gm,
    read: (text) => ({
      passed: failures("passed")(text),
      failed: failures("failed|timed out|exec failed")(text),
      skipped: failures("skipped")(text),
    }),
  },
  {
    // Lines for single classes have the class or the time after the numbers.
    runner: "maven",
    summary:
      /^(?:\[\w+\]\s*)?Tests run: \d+, Failures: \d+, Errors: \d+(?:, Skipped: \d+)?(?:, Flakes: \d+)?[ \t]*$/gm,
    read: (text) => ({
      total: labelled(text, "Tests run"),
      failed: labelled(text, "Failures") + labelled(text, "Errors"),
      skipped: labelled(text, "Skipped"),
    }),
  },
  {
    runner: "pytest",
    summary:
      /^=*[^\S\n]*(?:no tests ran|\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.*) in \d[\d.]*s\b.*$/gm,
    read: (text) => ({
      passed: failures("passed|xpassed")(text),
      failed: failures("failed|errors?")(text),
      skipped: failures("skipped|xfailed")(text),
    }),
  },
  {
    runner: "mocha",
    summary:
      /^[^\S\n]+\d+ (?:passing(?: \([^)\n]*\))?|failing|pending)[ \t]*(?:\n[^\S\n]+\d+ (?:failing|pending)[ \t]*$)*/gm,
    read: (text) => ({
      passed: failures("passing")(text),
      failed: failures("failing")(text),
      skipped: failures("pending")(text),
    }),
  },
  {
    runner: "minitest",
    summary: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ (?:skips|pendings).*$/gm,
    read: (text) => ({
      total: sum(text, /^(\d+) (?:runs|tests)/gm),
      failed: failures("failures|errors")(text),
      skipped: failures("skips|pendings")(text),
    }),
  },
  {
    // Also ExUnit, hspec, Bats and Jasmine.
    runner: "rspec",
    summary: /^\d+ (?:examples?|tests?|specs?|of \d+ specs?), \d+ failures?\b.*$/gm,
    read: (text) => ({
      total: sum(text, /^(\d+) (?:examples?|tests?|specs?)/gm),
      failed: failures("failures?|invalid|errors? occurred outside of examples")(text),
      skipped: failures("pending|skipped|excluded")(text),
    }),
  },
  {
    runner: "unittest",
    summary: /^Ran \d+ tests? in [\d.]+s\n\s*(?:OK|FAILED|NO TESTS RAN)(?: \([a-z ]+=[^)\n]*\))?$/gm,
    // unittest counts subtests that failed or were skipped, of which a test may have several. Setup may fail before the
    // first test.
    read: (text) => {
      const total = sum(text, /^Ran (\d+) tests?/gm);
      const most = total === 0 ? Number.POSITIVE_INFINITY : total;
      const skipped = Math.min(most, labelled(text, "skipped") + labelled(text, "expected failures"));
      const failed =
        labelled(text, "failures") + labelled(text, "errors") + labelled(text, "unexpected successes");
      return { total, failed: Math.min(most - skipped, failed), skipped };
    },
  },
  {
    runner: "dotnet test",
    // The second alternative is the terminal logger's line.
    summary:
      /^[^\S\n]*(?:Failed|Passed|Skipped)!\s+- Failed:.*$|^Test summary: total: \d+, failed: \d+, .*$/gm,
    read: (text) => ({
      passed: labelled(text, "Passed") + labelled(text, "succeeded"),
      failed: labelled(text, "Failed"),
      skipped: labelled(text, "Skipped"),
    }),
  },
  {
    runner: "gradle",
    summary: /^\d+ tests? completed, \d+ failed(?:, \d+ skipped)?/gm,
    read: (text) => ({
      total: sum(text, /^(\d+) tests? completed/gm),
      failed: failures("failed")(text),
      skipped: failures("skipped")(text),
    }),
  },
  {
    runner: "deno test",
    summary: /^(?:ok|FAILED) \| \d+ passed.*$/gm,
    read: (text) => ({
      passed: sum(text, /\| (\d+) passed/g),
      failed: sum(text, /\| (\d+) failed/g),
      skipped: sum(text, /\| (\d+) ignored/g),
    }),
  },
  {
    runner: "bun test",
    summary: /^[^\S\n]*\d+ pass[ \t]*\n(?:[^\S\n]*\d+ (?:skip|todo)[ \t]*\n)*(?:[^\S\n]*\d+ fail[ \t]*$)/gm,
    read: (text) => ({
      passed: failures("pass")(text),
      failed: failures("fail")(text),
      skipped: failures("skip|todo")(text),
    }),
  },
  ...nativeSummaries,
  {
    runner: "prove",
    summary: /^Files=\d+, Tests=\d+, .*$/gm,
    read: (text) => ({ total: sum(text, /Tests=(\d+)/g) }),
  },
  {
    runner: "swift test",
    summary: /^.*Executed \d+ tests?, with (?:\d+ tests? skipped and )?\d+ failures? .*$/gm,
    read: (text) => ({
      total: sum(text, /Executed (\d+) tests?/g),
      failed: sum(text, /(\d+) failures? \(/g),
      skipped: sum(text, /(\d+) tests? skipped/g),
    }),
  },
  ...scriptedSummaries,
  {
    runner: "ava",
    summary:
      /^[^\S\n]+\d+ tests? (?:passed|failed|skipped)(?:\n[^\S\n]+\d+ (?:tests? \w+|known failures?|uncaught exceptions?|unhandled rejections?))*$/gm,
    read: (text) => ({
      passed: sum(text, /(\d+) tests? passed/g),
      failed: sum(text, /(\d+) tests? failed/g),
      skipped: sum(text, /(\d+) tests? skipped/g),
    }),
  },
  {
    runner: "playwright",
    // Each number is followed by the tests it counts.
    summary:
      /(?:^ {2}\d+ (?:passed \([^)\n]+\)|failed|flaky|skipped|did not run|interrupted)[ \t]*(?:\n {4}.*)*(?:\n|$))+/gm,
    read: (text) => ({
      passed: sum(text, /^ {2}(\d+) (?:passed|flaky)/gm),
      failed: sum(text, /^ {2}(\d+) (?:failed|interrupted)/gm),
      skipped: sum(text, /^ {2}(\d+) (?:skipped|did not run)/gm),
    }),
  },
];
