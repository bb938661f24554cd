import { expect, test } from "vitest";
import { forecastOf, forecastText } from "../../src/series/forecast.ts";
import { emptyRecord, type GoalRecord, withAttempt } from "../../src/series/record.ts";

const recordOf = (costs: readonly number[]): GoalRecord =>
  costs.reduce(
    (record, usd, at) =>
      withAttempt(record, {
        run: `run-${at}`,
        at: "2026-11-22T03:00:00Z",
        green: true,
        published: true,
        reason: "until-bash",
        iterations: Math.ceil(usd * 2),
        usd,
        tokens: 1,
      }),
    emptyRecord("g"),
  );

test("a forecast needs three earlier attempts in which an agent worked", () => {
  expect(forecastOf(recordOf([1, 2, 0]))).toBeUndefined();
  const forecast = forecastOf(recordOf([1, 2, 3]));
  expect(forecast).toEqual({ attempts: 3, usd: [1, 3], iterations: [2, 6] });
  expect(forecastText(forecast as never)).toBe(
    "Forecast from 3 earlier runs of this goal: 2 to 6 iterations and $1.00 to $3.00 (P10–P90)",
  );
});

test("the range of a forecast holds for about 80 of 100 next attempts", () => {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
  // Costs have a long tail.
  const cost = () => Math.exp(random() + random() + random());
  let held = 0;
  const rounds = 1_000;
  for (let round = 0; round < rounds; round++) {
    const { usd = [0, 0] } = forecastOf(recordOf(Array.from({ length: 20 }, cost))) ?? {};
    const next = cost();
    if (usd[0] <= next && next <= usd[1]) held += 1;
  }
  expect(held / rounds).toBeGreaterThan(0.75);
  expect(held / rounds).toBeLessThan(0.85);
});
