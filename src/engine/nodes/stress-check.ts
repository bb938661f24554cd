import { intervalOf } from "../../ports/interval.ts";
import { failedNames } from "../../ports/tests.ts";
import { emit, type Operation } from "../operation.ts";
import { sideEffectPath } from "../path.ts";
import type { Checked, CheckQuestion } from "./check-record.ts";
import { withoutFailures } from "./honest-exit.ts";

/**
 * Runs a check as often as `stress` says. It is green if no run fails; else its output begins with how often each test
 * failed, and ends with that of the first failed run.
 */
export function* stressCheck(first: Checked, question: CheckQuestion): Operation<Checked> {
  const times = question.spec.stress ?? 1;
  const runs = [withoutFailures(first, question)];
  for (let time = 2; time <= times; time++) {
    const again = yield* question.again(`${sideEffectPath(question.path, "stress")}${time}`);
    runs.push(withoutFailures(again, question));
  }
  const failed = runs.filter(({ verdict }) => verdict !== "done");
  const [worst] = failed;
  if (times === 1 || worst === undefined) return first;
  const counts = countFailures(failed);
  if (failed.length < times) yield* noteRates(counts, failed.length, question);
  const rates = counts.map(([name, count]) => `  ${count} of ${times}  ${name} (${rateOf(count, times)})\n`);
  return {
    ...worst,
    because: `${failed.length} of ${times} runs failed`,
    tail: `${headOf(failed.length, times)}\n${rates.join("")}\n${worst.tail ?? ""}`,
  };
}

/** The tests that failed, with the number of runs in which they did; the most frequent first. */
function countFailures(failed: readonly Checked[]): readonly (readonly [name: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { answer } of failed)
    for (const name of new Set(answer?.tests && failedNames(answer.tests)))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}

function* noteRates(
  counts: readonly (readonly [string, number])[],
  failed: number,
  { spec: { stress = 1 }, path }: CheckQuestion,
): Operation<void> {
  const shown = counts
    .slice(0, mostShown)
    .map(([name, count]) => `${name} in ${count} (${rateOf(count, stress)})`);
  const more = counts.length > mostShown ? ` and ${counts.length - mostShown} more` : "";
  const which = shown.length === 0 ? "" : `: ${shown.join(", ")}${more}`;
  yield* emit({ type: "notice", code: "FLAKY_TESTS", message: `${headOf(failed, stress)}${which}`, path });
}

const mostShown = 10;

const headOf = (failed: number, runs: number) =>
  `${failed} of ${runs} runs failed (${rateOf(failed, runs, "95 % interval ")})`;

function rateOf(count: number, runs: number, name = ""): string {
  const [least = 0, most = 1] = intervalOf(count, runs) ?? [];
  return `${percent(count / runs)} %; ${name}${percent(least)}–${percent(most)} %`;
}

const percent = (share: number) => Math.round(100 * share);
