/**
 * `npm run kills -- [--kills N] [--store dir|git]`: kills real processes with SIGKILL at random moments, N times over
 * both stores (300), and says what was lost, repeated or left wrong. Takes a quarter of an hour.
 */
import { parseArgs } from "node:util";
import { killRuns } from "../test/parts/kills.ts";

const { values } = parseArgs({
  options: { kills: { type: "string", default: "300" }, store: { type: "string" } },
});
const stores = (["dir", "git"] as const).filter((store) => (values.store ?? store) === store);
for (const store of stores) {
  const kills = Math.ceil(Number(values.kills) / stores.length);
  const report = await killRuns(store, { kills, random: Math.random });
  const { runs, calls, again, said, faults } = report;
  console.log(
    `${store}: ${report.kills} kills in ${runs} runs, ${calls} calls, ${again} of them again, ${said} said; ${faults.length} faults`,
  );
  for (const fault of faults) console.log(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
