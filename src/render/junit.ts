import type { Summary } from "../status/run-summary.ts";
import { stripControlCharacters } from "./escape.ts";
import { redCheckOf } from "./red-check.ts";

/**
 * A run as a JUnit report, which CI systems show as tests: one case for the run, and one for each test that its last
 * check named as failing.
 */
export function junit(summary: Summary): string {
  const check = redCheckOf(summary);
  const isGreen = summary.conclusion === "success" || summary.conclusion === "skipped";
  const failed = check?.failing ?? [];
  const seconds = (summary.activeMs / 1_000).toFixed(3);
  const reason = summary.because ?? summary.stopReason ?? summary.state;
  const failure = (message: string, text = "") =>
    `<failure message="${attribute(message)}">${content(text)}</failure>`;
  const name = attribute(summary.workflow || summary.run);
  const cases = [
    `<testcase classname="until-green" name="${name}" time="${seconds}">${isGreen ? "" : failure(reason, check?.tail)}</testcase>`,
    ...failed.map(
      (test) => `<testcase classname="${name}" name="${attribute(test)}">${failure("fails")}</testcase>`,
    ),
  ];
  const failures = failed.length + (isGreen ? 0 : 1);
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" time="${seconds}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n<testsuite name="${name}" ${counts}>\n${cases.join("\n")}\n</testsuite>\n</testsuites>\n`;
}

const content = (text: string) =>
  stripControlCharacters(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

const attribute = (text: string) => content(text).replace(/"/g, "&quot;").replace(/\s+/g, " ");
