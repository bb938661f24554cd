import { memoryStore } from "../../src/stores/memory.ts";
import { type Bench, row } from "./bench.ts";
import { byTurns, timed, times, us } from "./figures.ts";
import { endless, play } from "./scene.ts";

/** One iteration of a loop in this process: engine, runner and a log in memory; the agent answers immediately. */
export const iteration: Bench = {
  async rows(inChild) {
    const rows = [];
    const totals = new Map<number, number>();
    for (const count of [100, 1_000, 10_000]) {
      const [ours, bare] = await inChild<readonly [number, number]>("loop", count);
      totals.set(count, ours);
      const value = (ours * 1_000) / count;
      const what = `an iteration without I/O, of ${count.toLocaleString("en")}`;
      const than = [(bare * 1_000) / count, "bare loop with a JSON line each"] as const;
      const goal = ["≤ 60 µs", value <= 60] as const;
      rows.push(row(what, us, { value, than, ...(count === 10_000 ? { goal } : {}) }));
    }
    const growth = (totals.get(10_000) ?? 0) / (totals.get(1_000) ?? 0);
    const goal = ["≤ 11x", growth <= 11] as const;
    return [...rows, row("10,000 iterations over 1,000", times, { value: growth, goal })];
  },
  measurements: {
    async loop(count) {
      const plan = endless(Number(count), { until: "COMPLETE" });
      const ours = () => timed(() => play({ plan, store: memoryStore(), workspace: "." }));
      const bare = () => timed(() => bareLoop(Number(count)));
      await warmUp();
      const rounds = Number(count) > 5_000 ? 5 : 15;
      return byTurns(rounds, ours, bare);
    },
  },
};

/** Warms up with the largest size, so that the smallest does not measure compilation. */
async function warmUp(): Promise<void> {
  const plan = endless(2_000, { until: "COMPLETE" });
  for (let round = 0; round < 3; round += 1) await play({ plan, store: memoryStore(), workspace: "." });
  await bareLoop(2_000);
}

/** The minimum for a loop with a log. */
async function bareLoop(count: number): Promise<readonly string[]> {
  const journal: string[] = [];
  const agent = async (prompt: string) => ({ text: `did ${prompt}`, session: "one" });
  for (let number = 1; number <= count; number += 1) {
    const answer = await agent(`Round ${number}: fix it.`);
    journal.push(JSON.stringify({ at: new Date().toISOString(), number, answer }));
    if (answer.text.includes("<promise>COMPLETE</promise>")) break;
  }
  return journal;
}
