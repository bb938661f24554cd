import { readFileSync } from "node:fs";
import { env } from "node:process";
import { runAction } from "./run.ts";

// The inputs come by standard input: what stands in the environment of a process, its children can read.
process.exitCode = await runAction(readFileSync(0, "utf8"), env);
