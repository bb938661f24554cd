import { expect, test } from "vitest";
import { play } from "../parts/simulator/history.ts";
import { faultsOf } from "../parts/simulator/oracles.ts";

// More seeds, and any one in full: `npm run simulate`.
const seeds = Array.from({ length: 200 }, (_, index) => index + 1);

test("two machines, people and a host that fails: nothing is lost, repeated or stuck", {
  timeout: 280_000,
}, async () => {
  const broken: string[] = [];
  let [kills, calls] = [0, 0];
  for (const seed of seeds) {
    const history = await play(seed, true);
    kills += history.kills;
    calls += history.calls.length;
    const faults = faultsOf(history, await play(seed, false));
    if (faults.length > 0) broken.push(`npm run simulate -- --seed ${seed}: ${faults[0]}`);
  }
  expect(broken).toEqual([]);
  // The trouble has to come, or the test proves nothing.
  expect(kills).toBeGreaterThan(seeds.length);
  expect(calls).toBeGreaterThan(3 * seeds.length);
});

test("a seed repeats its history exactly", async () => {
  for (const seed of [7, 42]) expect(await play(seed, true)).toEqual(await play(seed, true));
});
