import { readFileSync } from "node:fs";
import process, { env } from "node:process";
import { endSignal } from "../src/api/runs.ts";
import { runAction } from "./run.ts";

// SIGUSR1 would open Node's inspector on loopback to every process of this user.
process.on("SIGUSR1", () => {});

// Inputs and keys are passed on stdin, because child processes can read the environment: the inputs as JSON, then
// each variable as `NAME=value` after a NUL byte.
const [inputs = "", ...variables] = readFileSync(0, "utf8").split("\0");
const keys = variables.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]);
process.exitCode = await runAction(inputs, { ...env, ...Object.fromEntries(keys) });
// Exit now, even if something hangs.
if (endSignal.aborted) process.exit();
