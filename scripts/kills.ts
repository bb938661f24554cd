/**
 * `npm run kills -- [--kills N] [--store dir|git] [--minutes M]`: kills real processes with SIGKILL at random moments, N
 * times over both stores (300), and says what was lost, repeated or left wrong. Takes a quarter of an hour; no run is
 * begun after M minutes for each store (10).
 */
import { parseArgs } from "node:util";
import { killRuns } from "../test/parts/kills.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    store: { type: "string" },
    minutes: { type: "string", default: "10" },
  },
});
const stores = (["dir", "git"] as const).filter((store) => (values.store ?? store) === store);
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
