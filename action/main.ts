import { readFileSync } from "node:fs";
import process, { env } from "node:process";
import { endSignal } from "../src/api/runs.ts";
import { takeInputs } from "./inputs/inputs.ts";
import { runAction } from "./run.ts";

// SIGUSR1 would open Node's inspector on loopback to every process of this user.
process.on("SIGUSR1", () => {});

// Inputs and keys are passed on stdin, because child processes can read the environment: each as `NAME=value`, with a
// NUL byte after it.
const variables = readFileSync(0, "utf8")
  .split("\0")
  .filter((each) => each !== "")
  .map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)] as const);
const { inputs, others } = takeInputs(variables);
process.exitCode = await runAction(inputs, { ...env, ...others });
// Exit now, even if something hangs.
if (endSignal.aborted) process.exit();
