import { readFileSync } from "node:fs";
import process, { env } from "node:process";
import { endSignal } from "../src/api/runs.ts";
import { joinJson } from "./inputs/inputs.ts";
import { runAction } from "./run.ts";

// SIGUSR1 would open Node's inspector on loopback to every process of this user.
process.on("SIGUSR1", () => {});

// Inputs and keys are passed on stdin, because child processes can read the environment: the inputs as JSON, then
// each variable as `NAME=value` after a NUL byte. One of them has the inputs that are keys and tokens.
const [inputs = "", ...variables] = readFileSync(0, "utf8").split("\0");
const given = variables.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]);
const { UNTIL_GREEN_INPUTS: secrets, ...keys } = Object.fromEntries(given);
process.exitCode = await runAction(joinJson(inputs, secrets), { ...env, ...keys });
// Exit now, even if something hangs.
if (endSignal.aborted) process.exit();
