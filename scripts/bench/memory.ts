import { join } from "node:path";
import { directoryStore } from "../../src/stores/directory.ts";
import type { Bench } from "./bench.ts";
import { mb, median, repeated } from "./figures.ts";
import { endless, inFolder, play } from "./scene.ts";

/** How much more memory a long run keeps than a short one. Its log is in a folder, as by default. */
export const memory: Bench = {
  async rows(inChild) {
    const short = middle(await repeated(3, () => inChild<Weight>("after", 100)));
    const long = middle(await repeated(3, () => inChild<Weight>("after", 10_000)));
    const rowOf = (what: keyof Weight) => ({
      figure: mb(long[what]),
      reference: `${mb(short[what])} after 100`,
      ratio: long[what] / short[what],
    });
    const isFlat = (what: keyof Weight) => ({
      goal: "≤ 20 MiB more",
      ok: long[what] - short[what] <= 20 * 2 ** 20,
    });
    const name = "after 10,000 iterations";
    return [
      { ...rowOf("whole"), what: `memory (RSS) ${name}`, goal: "≤ 150 MiB", ok: long.whole <= 150 * 2 ** 20 },
      { ...rowOf("kept"), what: `the same without V8's reserve`, ...isFlat("kept") },
      { ...rowOf("heap"), what: `heap in use ${name}`, ...isFlat("heap") },
    ];
  },
  measurements: {
    after: (count) => inFolder((folder) => weighAfter(folder, Number(count))),
  },
};

/** In bytes. */
interface Weight {
  /** Memory of the process at the end of the run. */
  readonly whole: number;
  /** Memory after V8 has released its reserve. */
  readonly kept: number;
  readonly heap: number;
}

async function weighAfter(folder: string, count: number): Promise<Weight> {
  const plan = endless(count, { until: "COMPLETE" });
  const session = await play({ plan, store: directoryStore(join(folder, "runs")), workspace: folder });
  const whole = process.memoryUsage().rss;
  for (let round = 0; round < 3; round += 1)
    globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  const { rss, heapUsed } = process.memoryUsage();
  // Asked after the measurement, so that the session is still in memory.
  if (!session.ended) throw new Error("the run did not end");
  return { whole, kept: rss, heap: heapUsed };
}

const middle = (weights: readonly Weight[]): Weight => ({
  whole: median(weights.map(({ whole }) => whole)),
  kept: median(weights.map(({ kept }) => kept)),
  heap: median(weights.map(({ heap }) => heap)),
});
