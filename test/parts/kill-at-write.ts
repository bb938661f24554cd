import childProcess from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { stateBelow } from "./disk-state.ts";

/**
 * Loaded into a process with `--import`: kills it with SIGKILL before one of its steps: a write to a file or folder, the
 * start of a program, a request. KILL_AT_WRITE is the number of that step, KILL_AT_FILE a part of the path of those that
 * count. With KILL_STATES, what the folder KILL_FOLDER holds before each step is written to that file when the process
 * ends, as a hash a line. A file that is written is first empty and then half there, as it may be between two system
 * calls.
 */
let left = Number(process.env["KILL_AT_WRITE"]);
const file = process.env["KILL_AT_FILE"] ?? "";
const states = process.env["KILL_STATES"];
const folder = process.env["KILL_FOLDER"] ?? "";
for (const name of ["KILL_AT_WRITE", "KILL_AT_FILE", "KILL_STATES", "KILL_FOLDER"]) delete process.env[name];

const seen: string[] = [];
const { existsSync, truncateSync, writeFileSync, writeSync } = fs;

function step(words: readonly unknown[]): void {
  if (file !== "" && !words.some((word) => typeof word === "string" && word.includes(file))) return;
  if (states !== undefined) seen.push(stateNow());
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

function stateNow(): string {
  try {
    return createHash("sha256").update(stateBelow(folder)).digest("hex");
  } catch {
    return "changing"; // another program writes there
  }
}

if (states !== undefined) process.on("exit", () => writeFileSync(states, seen.join("\n")));

type Call = (...words: unknown[]) => unknown;

function watch(place: object, names: readonly string[]): void {
  const calls = place as Record<string, Call>;
  for (const name of names) {
    const real = calls[name] as Call;
    calls[name] = (...words: unknown[]) => {
      step(words);
      if (/^writeFile/.test(name)) writeInSteps(words);
      if (name === "writeSync") writeHalf(words);
      return real(...words);
    };
  }
}

/** The file is empty, then half there. */
function writeInSteps(words: readonly unknown[]): void {
  const [path, data, options] = words;
  if (typeof path !== "string" || (options as { flag?: string } | undefined)?.flag !== undefined) return;
  if (existsSync(path)) truncateSync(path);
  step(words);
  if ((left === 1 || states !== undefined) && (typeof data === "string" || Buffer.isBuffer(data)))
    writeFileSync(path, data.slice(0, Math.floor(data.length / 2)), options as object);
  step(words);
}

/** Half of the bytes are there. Not of what is printed. */
function writeHalf(words: readonly unknown[]): void {
  const [descriptor, data, offset, length, position] = words as [number, unknown, number, number, number];
  if (descriptor <= 2 || !Buffer.isBuffer(data) || typeof position !== "number") return;
  if (left === 1 || states !== undefined)
    writeSync(descriptor, data, offset, Math.floor(length / 2), position);
  step(words);
}

const changes = [
  "rename",
  "rm",
  "unlink",
  "mkdir",
  "mkdtemp",
  "copyFile",
  "symlink",
  "link",
  "truncate",
  "cp",
];
watch(fs, [...changes.map((name) => `${name}Sync`), "writeFileSync", "writeSync", "ftruncateSync"]);
watch(fs.promises, [...changes, "writeFile"]);
watch(childProcess, ["spawn", "spawnSync", "execFileSync"]);
watch(http, ["request", "get"]);
watch(https, ["request", "get"]);
watch(globalThis, ["fetch"]);
syncBuiltinESMExports();
