import { join } from "node:path";
import { directoryStore } from "../../src/stores/directory.ts";
import { type Bench, row } from "./bench.ts";
import { mb, median, repeated } from "./figures.ts";
import { endless, inFolder, play } from "./scene.ts";

/** How much more memory a long run keeps than a short one. Its log is in a folder, as by default. */
export const memory: Bench = {
  async rows(inChild) {
    const short = middle(await repeated(3, () => inChild<Weight>("after", 100)));
    const long = middle(await repeated(3, () => inChild<Weight>("after", 10_000)));
    const both = (what: keyof Weight) => ({
      value: long[what],
      than: [short[what], "after 100"] as const,
      goal: ["≤ 20 MiB more", long[what] - short[what] <= 20 * 2 ** 20] as const,
    });
    const whole = { ...both("whole"), goal: ["≤ 150 MiB", long.whole <= 150 * 2 ** 20] as const };
    return [
      row("memory (RSS) after 10,000 iterations", mb, whole),
      row("the same without V8's reserve", mb, both("kept")),
      row("heap in use after 10,000 iterations", mb, both("heap")),
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
