/**
 * `npm run night -- [--agent NAME] [--faults N] [--waits]`: a night of a loop with a real agent (claude) and a
 * scripted model that fails N times (40). Delays that providers ask for are seconds instead of minutes. Reports what
 * was lost, repeated or overspent, and with `--waits` what the log says about each wait. Takes some minutes.
 */
import { parseArgs } from "node:util";
import { isInstalled } from "../test/real-agents/agent-clis.ts";
import { playNight } from "../test/real-agents/night.ts";

const { values } = parseArgs({
  options: {
    agent: { type: "string", default: "claude" },
    faults: { type: "string", default: "40" },
    waits: { type: "boolean", default: false },
  },
});
if (!isInstalled()) throw new Error("the agents are not installed: npm run agents");
const report = await playNight({ agent: values.agent, faults: Number(values.faults) });
const { faults, classes, requests, steps, pauses, waits, seconds, wrong } = report;
console.log(
  `${values.agent}: ${faults} faults of ${classes} classes, ${requests} requests, ${steps} steps, ${waits} waits, ${pauses} pauses, ${seconds} s; ${wrong.length} wrong`,
);
if (values.waits) for (const one of report.explained) console.log(`  ${one}`);
for (const one of wrong) console.log(`  ${one}`);
if (wrong.length > 0) process.exitCode = 1;
