import type { TestInventory } from "../ports/tests.ts";

/**
 * Why a failed check ran no test, as a sentence: a program is missing, was called wrongly, or found nothing to run.
 * `undefined` if the check may have tested the work.
 */
export function whyNoTests({ exitCode, output, tests }: CheckAnswer): string | undefined {
  if (exitCode === 0 || (tests !== undefined && tests.passed + tests.failed > 0)) return undefined;
  for (const line of output.split("\n")) {
    const text = line.trim();
    if (text.length < 400 && broken.some((pattern) => pattern.test(text))) return text;
  }
  return undefined;
}

/** True if a check reported that it ran no test, not even one that it skipped. */
export const ranNoTest = (tests: TestInventory | undefined): boolean =>
  tests !== undefined && tests.passed + tests.failed + tests.skipped === 0 && !tests.incomplete;

interface CheckAnswer {
  readonly exitCode: number | undefined;
  /** The end of its output. */
  readonly output: string;
  readonly tests: TestInventory | undefined;
}

/** Messages by which tools report this. Each must be specific to a tool, because a failing test may print anything. */
const broken: readonly RegExp[] = [
  // npm, pnpm, yarn, bun
  /^npm (?:error|ERR!) Missing script: /,
  /^npm (?:error|ERR!) (?:enoent )?Could not read package\.json/,
  /^(?:ERR_PNPM_NO_SCRIPT|\s*ERR_PNPM_NO_SCRIPT|ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND)\b/,
  /^(?:error )?Couldn't find a (?:package\.json|script named)/,
  /^error Command "[^"]+" not found\.$/,
  /^error This project's package\.json defines "packageManager": /,
  /^Usage Error: The project in .* doesn't seem to have been installed\b/,
  /^error: Script not found "/,
  // test runners of Node
  /^No tests found, exiting with code 1/,
  /^No test files found, exiting with code 1/,
  /^Error: No test files found(?::|$)/,
  /^Could not find '.*'$/,
  /^Error: No tests found\b/,
  /^✖ Couldn[’']t find any (?:files|tests) to (?:test|run)/,
  /^(?:error: )?Unknown option '--?[\w-]+'/,
  // Python
  /^ERROR: file or directory not found: /,
  /^ERROR: not found: .*$/,
  /^(?:=+ )?no tests ran in [\d.]+s/,
  /^(?:\S*pytest|\S*__main__\.py): error: unrecognized arguments: /,
  /^\S*python[\d.]*: No module named (?:pytest|unittest|nose2|tox|nox)\b/,
  /^\S*python[\d.]*: can't open file /,
  /^NO TESTS RAN\b/,
  /^error: Failed to spawn: `/,
  /^Command not found: \S+$/,
  /^\[PdmUsageError\]: Command '/,
  // make, ninja, just, task, rake
  /^make(?:\[\d+\])?: \*\*\* No rule to make target /,
  /^make(?:\[\d+\])?: \*\*\* No targets(?: specified)?/,
  /^ninja: error: unknown target /,
  /^error: Justfile does not contain recipe /,
  /^rake aborted!$/,
  /^Don't know how to build task '/,
  // bundler; before version 2.4, the message follows its source location
  /^(?:\S+:\d+:in [`'][^']*': )?Could not find \S.* in (?:locally installed gems|any of the sources)\b/,
  /^bundler: command not found: /,
  // Elixir
  /^Could not find Hex, which is needed to build dependency /,
  // Go, Rust
  /^(?:go: )?(?:warning: )?"[^"]*" matched no packages$/,
  /^no Go files in /,
  /^go: go\.mod file not found /,
  /^go: cannot find main module/,
  /^error: could not find `Cargo\.toml`/,
  /^error: no (?:test|example|bin|bench) target (?:named|matches)/,
  /^error: no such command: `/,
  /^error: package ID specification `.*` did not match any packages/,
  /^error: no tests to run$/,
  // others
  /^No examples found\.$/,
  /^Could not open input file: /,
  /^No tests executed!$/,
  /^No tests were found!!!$/,
  /^\[ERROR\] The goal you specified requires a project to execute but there is no POM/,
  /^\[ERROR\] (?:Could not create local repository at |Plugin \S+ or one of its dependencies could not be resolved: )/,
  /^MSB1003: /,
  /^Task '[^']+' not found in (?:root )?project/,
  /^Can't open perl script "/,
  /^(?:bash|sh): (?:line \d+: )?(?:cd: )?\S+: No such file or directory$/,
];
