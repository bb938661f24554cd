/**
 * `npm run simulate -- [--seeds N] [--from S] [--seed S [--without PARTS]] [--first]`: plays histories and prints the
 * seeds of those that are not sound, with what can be left out of them; with `--seed` one of them in full, without some
 * parts (a list with commas); with `--first` none after the first broken one.
 */
import { parseArgs } from "node:util";
import { play, workflowOf } from "../test/parts/simulator/history.ts";
import { minimise } from "../test/parts/simulator/minimise.ts";
import { faultsOf } from "../test/parts/simulator/oracles.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    seed: { type: "string" },
    without: { type: "string", default: "" },
    from: { type: "string", default: "1" },
    first: { type: "boolean", default: false },
  },
});
const first = Number(values.seed ?? values.from);
const left = new Set(values.without.split(",").filter(Boolean));
const count = values.seed === undefined ? Number(values.seeds) : 1;
let broken = 0;
let kills = 0;
let calls = 0;
const began = performance.now();
for (let seed = first; seed < first + count; seed += 1) {
  const history = await play(seed, true, left);
  kills += history.kills;
  calls += history.calls.length;
  const faults = faultsOf(history, await play(seed, false, left));
  if (values.seed !== undefined) {
    console.log(workflowOf(seed));
    for (const event of history.log) console.log(JSON.stringify(event).slice(0, 200));
    for (const call of history.calls) console.log(JSON.stringify(call));
  }
  if (faults.length === 0) continue;
  broken += 1;
  const again = `npm run simulate -- --seed ${seed}`;
  console.log(`seed ${seed}:\n  ${faults.slice(0, 5).join("\n  ")}\n  again: ${again}`);
  if (values.seed === undefined && !values.first)
    console.log(`  minimised: ${again} --without "${[...(await minimise(seed))].join()}"`);
  if (broken === (values.first ? 1 : 10)) break;
}
const seconds = (performance.now() - began) / 1000;
console.log(`${count} histories, ${kills} kills, ${calls} calls, ${broken} broken, ${seconds.toFixed(1)} s`);
process.exitCode = broken === 0 ? 0 : 1;
