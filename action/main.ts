import { readFileSync } from "node:fs";
import { env } from "node:process";
import { readGiven } from "./inputs/given.ts";
import { runAction } from "./run.ts";

// The inputs come by standard input: what stands in the environment of a process, its children can read.
const { inputs, keys } = readGiven(readFileSync(0, "utf8"));
process.exitCode = await runAction(inputs, { ...env, ...keys });
