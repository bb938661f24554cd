/** Output of the tests themselves, which some tools print only for tests that failed. */
interface Block {
  /** The line before the output. */
  readonly start: RegExp;
  /** The first line after it. */
  readonly end: RegExp;
  /** Lines in between that are the tool's own. */
  readonly keep?: RegExp;
}

const blocks: readonly Block[] = [
  // CTest
  { start: /^Test project /, end: /^\d{1,3}% tests passed/, keep: /^ *\d+\/\d+ Test +#\d+: / },
  // Meson
  { start: /^―+ ✀ +―+$/, end: /^―{20,}$/ },
  // automake, with VERBOSE=1
  { start: /^ {3}.{1,200}: \S{1,200}\/test-suite\.log$/, end: /^Testsuite summary for / },
  // Bazel, with --test_output=errors
  { start: /^={5,} Test output for .+:$/, end: /^={60,}$/ },
  // nextest
  {
    start: /^--- STD(?:OUT|ERR): .*---$/,
    end: /^ +(?:PASS|FAIL|SLOW|TIMEOUT|SIG[A-Z]+|Summary|Cancell?ing) /,
  },
  // Cabal
  { start: /^Test suite \S{1,200}: RUNNING\.\.\.$/, end: /^Test suite \S{1,200}: (?:PASS|FAIL)$/ },
  // pre-commit
  { start: /^- hook id: /, end: /^\S.{0,200}\.{3,}(?:\(.{1,100}\))?(?:Passed|Failed|Skipped)$/ },
  // Pants
  { start: /^[\d:.]{8,20} \[\w+\] Completed: .+ failed \(exit code \d+\)\.$/, end: /^[✓✕] / },
];

/**
 * The output without that of single tests. Otherwise a summary in it would count as long as the test fails, and an
 * honest fix would seem to lose tests.
 */
export function withoutOutputOfTests(text: string): string {
  let block: Block | undefined;
  const own = text.split("\n").filter((line) => {
    if (block?.end.test(line)) block = undefined;
    const isOutput = block !== undefined && block.keep?.test(line) !== true;
    block ??= blocks.find(({ start }) => start.test(line));
    return !isOutput;
  });
  return own.join("\n");
}
