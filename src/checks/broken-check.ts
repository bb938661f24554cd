import type { TestInventory } from "../ports/tests.ts";
import { tools } from "./tools/index.ts";

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

const broken: readonly RegExp[] = [
  ...tools.flatMap(({ nothing = [] }) => nothing),
  /^(?:bash|sh): (?:line \d+: )?(?:cd: )?\S+: No such file or directory$/,
];
