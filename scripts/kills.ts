/**
 * `npm run kills -- [--kills N] [--store dir|git] [--minutes M]`: kills real processes with SIGKILL at random moments, N
 * times over both stores (300), and says what was lost, repeated or left wrong. Takes a quarter of an hour; no run is
 * begun after M minutes for each store (10).
 *
 * `npm run kills -- --at-writes [--kinds] [--store dir|git] [--most N] [--only WORDS]`: kills commands before each of
 * their writes to the disk, starts of programs and requests, one after the other; with `--kinds` before one of each kind:
 * what is done, and to what kind of file, program or route; at most N of these points of each command, and only those
 * commands whose names have these words. All points take hours, all kinds one hour.
 */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killAtPoints } from "../test/parts/kill-points.ts";
import { killScenarios } from "../test/parts/kill-scenarios.ts";
import { killRuns } from "../test/parts/kills.ts";
import { build } from "./build.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    store: { type: "string" },
    minutes: { type: "string", default: "10" },
    "at-writes": { type: "boolean", default: false },
    kinds: { type: "boolean", default: false },
    most: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const stores = (["dir", "git"] as const).filter((store) => (values.store ?? store) === store);
await (values["at-writes"] ? atWrites() : atRandom());

async function atRandom(): Promise<void> {
  for (const store of stores) {
    const kills = Math.ceil(Number(values.kills) / stores.length);
    const report = await killRuns(store, {
      kills,
      random: Math.random,
      mostMs: Number(values.minutes) * 60_000,
    });
    const { runs, calls, again, said, faults } = report;
    console.log(
      `${store}: ${report.kills} kills in ${runs} runs, ${calls} calls, ${again} of them again, ${said} said; ${faults.length} faults`,
    );
    for (const fault of faults) console.log(`  ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
}

async function atWrites(): Promise<void> {
  const top = await mkdtemp(join(tmpdir(), "kills-"));
  // Each kill takes three processes: a bundle starts in a quarter of the time.
  await build(join(top, "dist"));
  const program = join(top, "dist", "until-green.js");
  const most = values.most === undefined ? {} : { most: Number(values.most) };
  const say = (fault: string) => console.log(`  ${fault}`);
  for (const scenario of killScenarios.filter(({ name }) => name.includes(values.only)))
    for (const store of stores.filter((one) => (scenario.stores ?? stores).includes(one))) {
      const report = await killAtPoints(scenario, {
        store,
        program,
        beside: 2,
        isOfEachKind: values.kinds,
        say,
        ...most,
      });
      const { points, states, kills, again, said, faults } = report;
      console.log(
        `${scenario.name} over ${store}: ${points} points, ${states} different, ${kills} kills, ${again} calls again, ${said} said; ${faults.length} faults`,
      );
      if (faults.length > 0) process.exitCode = 1;
    }
  rmSync(top, { recursive: true, force: true });
}
