import { expect, test } from "vitest";
import { play } from "../parts/simulator/history.ts";
import { minimise } from "../parts/simulator/minimise.ts";
import { faultsOf } from "../parts/simulator/oracles.ts";
import { playUndisturbed } from "../parts/simulator/undisturbed.ts";
import { partsOf } from "../parts/simulator/workflow.ts";

// More seeds, and any one in full: `npm run simulate`.
const seeds = Array.from({ length: 300 }, (_, index) => index + 1);

test("two machines, people and a host that fails: nothing is lost, repeated or stuck", {
  timeout: 280_000,
}, async () => {
  const broken: string[] = [];
  let [kills, calls, refused] = [0, 0, 0];
  for (const seed of seeds) {
    const history = await play(seed);
    kills += history.kills;
    calls += history.calls.length;
    refused += history.refused;
    const faults = faultsOf(history, await playUndisturbed(seed));
    if (faults.length > 0) broken.push(`npm run simulate -- --seed ${seed}: ${faults[0]}`);
  }
  expect(broken).toEqual([]);
  // The trouble has to come, or the test proves nothing.
  expect(kills).toBeGreaterThan(seeds.length);
  expect(calls).toBeGreaterThan(3 * seeds.length);
  expect(refused).toBeGreaterThan(seeds.length / 2);
});

test("a seed repeats its history exactly", async () => {
  for (const seed of [7, 42]) expect(await play(seed)).toEqual(await play(seed));
});

test("a broken history is minimised to what breaks it", { timeout: 280_000 }, async () => {
  const isKilled = ({ kills }: { kills: number }) => (kills > 0 ? ["killed"] : []);
  for (const seed of [3, 7]) {
    expect((await play(seed)).kills).toBeGreaterThan(1);
    const left = await minimise(seed, isKilled);
    const kept = partsOf(seed).filter((part) => !left.has(part));
    // One kind of kill, and the nodes without which there is nothing to kill.
    expect(kept.filter((part) => !part.startsWith("node "))).toEqual([
      expect.stringMatching(/^kill \d$|^worst moment$|^disks$/),
    ]);
    expect((await play(seed, left)).kills).toBeGreaterThan(0);
  }
});
