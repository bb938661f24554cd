/**
 * `npm run simulate -- [--seeds N] [--from S] [--seed S [--without PARTS]] [--first]`: plays histories on all cores
 * and prints the seeds of unsound ones, with the parts that can be left out; `--seed` prints one history in full,
 * without some parts (comma-separated); `--first` stops after the first unsound one.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { play } from "../test/parts/simulator/history.ts";
import { minimise } from "../test/parts/simulator/minimise.ts";
import { faultsOf } from "../test/parts/simulator/oracles.ts";
import { playUndisturbed } from "../test/parts/simulator/undisturbed.ts";
import { workflowOf } from "../test/parts/simulator/workflow.ts";

/** The result of one history. */
interface Played {
  readonly seed: number;
  readonly kills: number;
  readonly calls: number;
  readonly refused: number;
  readonly faults: readonly string[];
}

/** The seeds of one thread: every n-th number. */
interface Share {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

if (isMainThread) await main();
else await playShare(workerData as Share);

async function playShare({ from, to, step }: Share): Promise<void> {
  for (let seed = from; seed < to; seed += step) {
    const history = await play(seed);
    const faults = faultsOf(history, await playUndisturbed(seed));
    const { kills, calls, refused } = history;
    parentPort?.postMessage({ seed, kills, calls: calls.length, refused, faults } satisfies Played);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "1000" },
      seed: { type: "string" },
      without: { type: "string", default: "" },
      from: { type: "string", default: "1" },
      first: { type: "boolean", default: false },
    },
  });
  if (values.seed !== undefined)
    return await show(Number(values.seed), new Set(values.without.split(",").filter(Boolean)));
  const began = performance.now();
  const most = values.first ? 1 : 10;
  const [from, count] = [Number(values.from), Number(values.seeds)];
  const played = await playAll({ from, to: from + count, most });
  const broken = played.filter(({ faults }) => faults.length > 0).slice(0, most);
  for (const { seed, faults } of broken) {
    const again = sayBroken(seed, faults);
    if (!values.first) console.log(`  minimised: ${again} --without "${[...(await minimise(seed))].join()}"`);
  }
  const sum = (what: "kills" | "calls" | "refused") => played.reduce((total, one) => total + one[what], 0);
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${played.length} histories, ${sum("kills")} kills, ${sum("calls")} calls, ${sum("refused")} refused writes, ${broken.length} broken, ${seconds.toFixed(1)} s`,
  );
  process.exitCode = broken.length === 0 ? 0 : 1;
}

/** Prints one history in full. */
async function show(seed: number, left: ReadonlySet<string>): Promise<void> {
  const history = await play(seed, left);
  console.log(workflowOf(seed));
  for (const event of history.log) console.log(JSON.stringify(event).slice(0, 200));
  for (const call of history.calls) console.log(JSON.stringify(call));
  const faults = faultsOf(history, await playUndisturbed(seed, left));
  if (faults.length > 0) sayBroken(seed, faults);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

function sayBroken(seed: number, faults: readonly string[]): string {
  const again = `npm run simulate -- --seed ${seed}`;
  console.log(`seed ${seed}:\n  ${faults.slice(0, 5).join("\n  ")}\n  again: ${again}`);
  return again;
}

interface Task {
  readonly from: number;
  readonly to: number;
  /** The limit of unsound histories, after which no more are played. */
  readonly most: number;
}

/** Plays histories in one thread per core, or fewer for a few histories, because each thread must warm up. */
async function playAll({ from, to, most }: Task): Promise<readonly Played[]> {
  const threads = Math.max(1, Math.min(availableParallelism(), Math.ceil((to - from) / 500)));
  const played: Played[] = [];
  let broken = 0;
  const workers = Array.from({ length: threads }, (_, index) => {
    const workerData: Share = { from: from + index, to, step: threads };
    return new Worker(new URL(import.meta.url), { workerData });
  });
  const ended = workers.map(
    (worker) =>
      new Promise<void>((resolve, reject) => {
        worker.on("message", (one: Played) => {
          played.push(one);
          if (one.faults.length > 0) broken += 1;
          if (broken >= most) for (const other of workers) void other.terminate();
        });
        worker.on("error", reject);
        worker.on("exit", () => resolve());
      }),
  );
  await Promise.all(ended);
  return played.toSorted((one, other) => one.seed - other.seed);
}
