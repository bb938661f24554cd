import "../../test/parts/loaded.ts";
import { attemptTrials } from "../../test/parts/attempt-trials.ts";
import type { Row } from "./bench.ts";
import { median } from "./figures.ts";

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
  return [
    { what: "green of 200 trials, one attempt", figure: String(one.green) },
    {
      what: "green of 200 trials, four attempts",
      figure: String(four.green),
      goal: "≥ 0.85",
      ok: four.green >= 0.85,
    },
    {
      what: "four attempts beside one, time",
      figure: `${ratio.toFixed(2)}x`,
      goal: "≤ 1.3x",
      ok: ratio <= 1.3,
    },
    {
      what: "four attempts on a budget of two calls, overdrawn",
      figure: `${capped.overdrawn} calls`,
      goal: "≤ 4, one each",
      ok: capped.overdrawn <= 4,
    },
  ];
}
