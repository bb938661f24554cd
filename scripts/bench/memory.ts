import { join } from "node:path";
import { directoryStore } from "../../src/adapters/stores/directory.ts";
import type { Bench } from "./bench.ts";
import { mb, median, repeated } from "./figures.ts";
import { endless, inFolder, play } from "./scene.ts";

/** What a long run leaves in memory that a short one does not; the log is kept in a folder, as it is by default. */
export const memory: Bench = {
  async rows(inChild) {
    const short = await repeated(3, () => inChild<Weight>("after", 100));
    const long = await repeated(3, () => inChild<Weight>("after", 10_000));
    const middle = (weights: readonly Weight[], what: keyof Weight) => median(weights.map((it) => it[what]));
    const growth = (what: keyof Weight) => middle(long, what) - middle(short, what);
    const rowOf = (what: keyof Weight) => ({
      what: `${names[what]} after 10,000 iterations`,
      figure: mb(middle(long, what)),
      reference: `${mb(middle(short, what))} after 100`,
      ratio: middle(long, what) / middle(short, what),
    });
    return [
      { ...rowOf("rss"), goal: "≤ 150 MiB", ok: middle(long, "rss") <= 150 * 2 ** 20 },
      { what: "its growth", figure: mb(growth("rss")), goal: "≤ 20 MiB", ok: growth("rss") <= 20 * 2 ** 20 },
      { ...rowOf("heap"), goal: "≤ 20 MiB more", ok: growth("heap") <= 20 * 2 ** 20 },
    ];
  },
  measurements: {
    after: (count) =>
      inFolder(async (folder): Promise<Weight> => {
        const plan = endless(Number(count), { until: "COMPLETE" });
        const session = await play({ plan, store: directoryStore(join(folder, "runs")), workspace: folder });
        globalThis.gc?.();
        const { rss, heapUsed } = process.memoryUsage();
        // Named after the weighing, so that the session is weighed too.
        return session.ended ? { rss, heap: heapUsed } : { rss: Number.NaN, heap: Number.NaN };
      }),
  },
};

/** In bytes. */
interface Weight {
  readonly rss: number;
  readonly heap: number;
}

const names = { rss: "memory (RSS)", heap: "heap in use" };
