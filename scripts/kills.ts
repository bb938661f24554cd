/**
 * `npm run kills -- [--kills N] [--store dir|git] [--minutes M] [--seed N]`: kills real processes with SIGKILL at random
 * moments, N times (300) over both stores, and reports what was lost, repeated or wrong. Takes a quarter of an hour;
 * no run starts after M minutes per store (10).
 *
 * `npm run kills -- --at-writes [--kinds] [--store dir|git] [--most N] [--only WORDS]`: kills commands before each
 * write to the disk, each start of a program and each request, one after the other; with `--kinds` before one of each
 * kind of operation and file, program or route; at most N points per command; only commands whose names contain these
 * words. All points take hours, all kinds one hour.
 */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killAtPoints } from "../test/parts/kill-points.ts";
import { killScenarios } from "../test/parts/kill-scenarios.ts";
import { killRuns } from "../test/parts/kills.ts";
import { randomOf } from "../test/parts/random.ts";
import { build } from "./build.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    store: { type: "string" },
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: `${Date.now() % 1_000_000}` },
    "at-writes": { type: "boolean", default: false },
    kinds: { type: "boolean", default: false },
    most: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const stores = (["dir", "git"] as const).filter((store) => (values.store ?? store) === store);
await (values["at-writes"] ? atWrites() : atRandom());

async function atRandom(): Promise<void> {
  console.log(`seed ${values.seed}`);
  for (const store of stores) {
    const kills = Math.ceil(Number(values.kills) / stores.length);
    const report = await killRuns(store, {
      kills,
      random: randomOf(Number(values.seed)),
      mostMs: Number(values.minutes) * 60_000,
    });
    const { runs, calls, again, messages, faults } = report;
    console.log(
      `${store}: ${report.kills} kills in ${runs} runs, ${calls} calls, ${again} of them again, ${messages} said; ${faults.length} faults`,
    );
    for (const fault of faults) console.log(`  ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
}

async function atWrites(): Promise<void> {
  const top = await mkdtemp(join(tmpdir(), "kills-"));
  // Each kill needs three processes, and a bundle starts four times as fast.
  await build(join(top, "dist"));
  const program = join(top, "dist", "until-green.js");
  const most = values.most === undefined ? {} : { most: Number(values.most) };
  const say = (fault: string) => console.log(`  ${fault}`);
  for (const scenario of killScenarios.filter(({ name }) => name.includes(values.only)))
    for (const store of stores.filter((one) => (scenario.stores ?? stores).includes(one))) {
      const report = await killAtPoints(scenario, {
        store,
        program,
        parallel: 2,
        isOfEachKind: values.kinds,
        say,
        ...most,
      });
      const { points, states, kills, again, messages, faults } = report;
      console.log(
        `${scenario.name} over ${store}: ${points} points, ${states} different, ${kills} kills, ${again} calls again, ${messages} said; ${faults.length} faults`,
      );
      if (faults.length > 0) process.exitCode = 1;
    }
  rmSync(top, { recursive: true, force: true });
}
