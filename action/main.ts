import { readFileSync } from "node:fs";
import process, { env } from "node:process";
import { endSignal } from "../src/api/runs.ts";
import { parseStdin } from "./inputs/parse-stdin.ts";
import { runAction } from "./run.ts";

// SIGUSR1 would open Node's inspector on loopback to every process of this user.
process.on("SIGUSR1", () => {});

// Inputs are passed on stdin, because child processes can read the environment.
const { inputs, keys } = parseStdin(readFileSync(0, "utf8"));
process.exitCode = await runAction(inputs, { ...env, ...keys });
// Exit now, even if something hangs.
if (endSignal.aborted) process.exit();
