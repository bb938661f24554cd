/** The last lines of a check's output, for people; of TAP, those about failing tests, without stacks. */
export function lastLines(output: string, most: number): readonly string[] {
  const lines = output.trimEnd().split("\n");
  const isTap = lines.some((line) => /^\s*not ok \d/.test(line));
  return (isTap ? withoutTapDetails(lines) : lines).slice(-most);
}

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
