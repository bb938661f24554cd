import "../../test/parts/loaded.ts";
import { attemptTrials } from "../../test/parts/attempt-trials.ts";
import { type Row, row } from "./bench.ts";
import { median, times } from "./figures.ts";

const p = 0.4;

/** The benefit of several attempts, with an agent that succeeds two times in five; two hundred trials. */
export async function attemptRows(): Promise<readonly Row[]> {
  const one = await attemptTrials({ attempts: 1, p, trials: 200 });
  const four = await attemptTrials({ attempts: 4, p, trials: 200 });
  const capped = await attemptTrials({ attempts: 4, p, trials: 200, maxUsd: 2 });
  const [alone, parallel] = [
    await attemptTrials({ attempts: 1, p, trials: 10, callMs: 500 }),
    await attemptTrials({ attempts: 4, p, trials: 10, callMs: 500 }),
  ];
  const ratio = median(parallel.took) / median(alone.took);
  const { overdrawn } = capped;
  return [
    row("green of 200 trials, one attempt", String, { value: one.green }),
    row("green of 200 trials, four attempts", String, {
      value: four.green,
      goal: ["≥ 0.85", four.green >= 0.85],
    }),
    row("time of four attempts, compared with one", times, { value: ratio, goal: ["≤ 1.3x", ratio <= 1.3] }),
    row("four attempts on a budget of two calls, calls over it", String, {
      value: overdrawn,
      goal: ["≤ 4, one each", overdrawn <= 4],
    }),
  ];
}
