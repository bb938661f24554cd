/** `npm run mutants`: reads 100,000 damaged workflow files; with a number, prints the file of that number. */
import { mutant, readingFault, shippedWorkflows } from "../test/parts/mutants.ts";

const files = shippedWorkflows();
const [one] = process.argv.slice(2);
if (one !== undefined) {
  console.log(mutant(files, Number(one)));
  console.log(await readingFault(mutant(files, Number(one))));
  process.exit();
}
const count = 100_000;
let [faults, slow, slowest] = [0, 0, 0];
for (let number = 0; number < count; number += 1) {
  const text = mutant(files, number);
  const began = performance.now();
  const fault = await readingFault(text);
  const ms = performance.now() - began;
  slowest = Math.max(slowest, ms);
  if (ms > 1_000) slow += 1;
  if (fault === undefined) continue;
  faults += 1;
  console.log(`${number}: ${fault}`);
}
console.log(`${count} files, ${faults} faults, ${slow} over a second, the slowest ${slowest.toFixed(0)} ms`);
process.exitCode = faults === 0 ? 0 : 1;
