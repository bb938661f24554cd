import { failingTests } from "./failing-tests.ts";
import { tools } from "./tools/index.ts";

/** The last lines of a check's output, for people; if tests failed, without passing tests and without noise. */
export function lastLines(output: string, most: number): readonly string[] {
  const lines = output.trimEnd().split("\n");
  const isTap = lines.some((line) => /^\s*not ok \d/.test(line));
  const shown = isTap
    ? withoutTapDetails(lines)
    : failingTests(output).length > 0
      ? withoutNoise(lines)
      : lines;
  const last = shown.slice(-most);
  const begin = last.findIndex((line) => line.trim() !== "");
  return last.slice(Math.max(0, begin));
}

/** Lines that a test runner prints for passing tests or for its own developers. */
function withoutNoise(lines: readonly string[]): readonly string[] {
  const kept = lines.filter((line) => !noise.some((pattern) => pattern.test(line)));
  return kept.filter((line, at) => line.trim() !== "" || kept[at - 1]?.trim() !== "");
}

const noise = tools.flatMap(({ noise = [] }) => noise);

/** TAP describes each test in a block of YAML, most of which is of use to programs only. */
function withoutTapDetails(lines: readonly string[]): readonly string[] {
  // The indentation of a passing test, of its block, or of a key, whose lines are left out.
  let left: number | undefined;
  return lines.filter((line) => {
    const indent = line.search(/\S|$/);
    if (left !== undefined && (indent > left || line.trim() === "")) return false;
    left = startsDetail.test(line) ? indent : undefined;
    return left === undefined && !isMark.test(line);
  });
}

const startsDetail = /^\s*(?:ok \d|(?:stack|duration_ms|type|failureType|code|name):)/;
const isMark = /^\s*(?:---|\.\.\.|TAP version \d+|\d+\.\.\d+|# (?:Subtest: .*|duration_ms .*|\w+ 0))$/;
