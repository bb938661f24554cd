import { failures, labelled, type SummaryFormat, sum } from "./counts.ts";

/** The summaries of less common test runners, most of them for scripting languages. */
export const scriptedSummaries: readonly SummaryFormat[] = [
  {
    runner: "busted",
    summary: /^\d+ success(?:es)? \/ \d+ failures? \/ \d+ errors? \/ \d+ pending.*$/gm,
    read: (text) => ({
      passed: failures("success(?:es)?")(text),
      failed: failures("failures?|errors?")(text),
      skipped: failures("pending")(text),
    }),
  },
  {
    runner: "testthat",
    summary: /^\[ FAIL \d+ \| WARN \d+ \| SKIP \d+ \| PASS \d+ \].*$/gm,
    read: (text) => ({
      passed: sum(text, /PASS (\d+)/g),
      failed: sum(text, /FAIL (\d+)/g),
      skipped: sum(text, /SKIP (\d+)/g),
    }),
  },
  {
    runner: "clojure.test",
    summary: /^Ran \d+ tests containing \d+ assertions\.\n\d+ failures, \d+ errors\.$/gm,
    read: (text) => ({ total: sum(text, /^Ran (\d+)/gm), failed: failures("failures|errors")(text) }),
  },
  {
    runner: "gotestsum",
    summary: /^DONE (?:\d+ runs, )?\d+ tests?(?:, \d+ (?:skipped|failures?|errors?))* in [\d.]+m?s$/gm,
    read: (text) => ({
      total: sum(text, /(\d+) tests?\b/g),
      failed: failures("failures?")(text),
      skipped: failures("skipped")(text),
    }),
  },
  {
    runner: "uvu",
    summary: /^ {2}Total: +\d+\n {2}Passed: +\d+\n {2}Skipped: +\d+$/gm,
    read: (text) => ({
      passed: labelled(text, "Passed"),
      failed: labelled(text, "Total") - labelled(text, "Passed"),
      skipped: labelled(text, "Skipped"),
    }),
  },
  {
    // Behave and Cucumber.
    runner: "scenarios",
    summary: /^\d+ scenarios? (?:passed(?:, \d+ [a-z_]+)*|\([^)\n]*\))$/gm,
    read: (text) => ({
      passed: sum(text, /(\d+) (?:scenarios? )?passed\b/g),
      failed: failures("failed|error|hook_error|cleanup_error|undefined|ambiguous")(text),
      skipped: failures("skipped|pending|untested")(text),
    }),
  },
  {
    // Each suite prints such a line; the last one is the total.
    runner: "robot",
    summary: /^\d+ tests?, \d+ passed, \d+ failed(?:, \d+ skipped)?\n=+\n(?=Output: )/gm,
    read: (text) => ({
      passed: failures("passed")(text),
      failed: failures("failed")(text),
      skipped: failures("skipped")(text),
    }),
  },
  {
    // shunit2 counts failed and skipped assertions, of which a test may have several.
    runner: "shunit2",
    summary: /^Ran \d+ tests?\.\n\n(?:OK|FAILED)(?: \([^)\n]*\))?$/gm,
    read: (text) => {
      const total = sum(text, /^Ran (\d+)/gm);
      const failed = Math.min(total, labelled(text, "failures"));
      return { total, failed, skipped: Math.min(total - failed, labelled(text, "skipped")) };
    },
  },
];
