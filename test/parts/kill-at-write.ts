import childProcess from "node:child_process";
import { createHash } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import { stateBelow, withoutIds } from "./disk-state.ts";

/**
 * Loaded into a process with `--import`: kills it with SIGKILL before one of its steps: a write to a file or folder,
 * the start of a program, or a request. KILL_AT_WRITE is the number of that step; KILL_AT_FILE a part of the paths
 * that count. With KILL_STATES, each step is written to that file at the end of the process, as a line of JSON: its
 * kind, and a hash of the content of KILL_FOLDER and the host before it. A file write is split: the file is first
 * empty and then half written, as between two system calls.
 */
let left = Number(process.env["KILL_AT_WRITE"]);
const file = process.env["KILL_AT_FILE"] ?? "";
const states = process.env["KILL_STATES"];
const folder = process.env["KILL_FOLDER"] ?? "";
for (const name of ["KILL_AT_WRITE", "KILL_AT_FILE", "KILL_STATES", "KILL_FOLDER"]) delete process.env[name];

const seen: string[] = [];
let requests = 0;
const { existsSync, readlinkSync, truncateSync, writeFileSync, writeSync } = fs;

function step(name: string, args: readonly unknown[]): void {
  if (file !== "" && !args.some((arg) => typeof arg === "string" && arg.includes(file))) return;
  if (states !== undefined)
    seen.push(JSON.stringify({ kind: kindOf(name, args), state: `${requests} ${stateNow()}` }));
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

/** The kind of a step: the operation, with a file name without ids, a program with its command, or a route. */
function kindOf(name: string, [what, ...more]: readonly unknown[]): string {
  if (Array.isArray(more[0])) return `${name} ${[basename(String(what)), commandIn(more[0])].join(" ")}`;
  if (typeof what === "number") return `${name} ${kindOfFile(descriptorPath(what))}`;
  const method = (more[0] as { readonly method?: string } | undefined)?.method;
  return `${name} ${method ?? ""} ${kindOfFile(String(what).replace(/\?.*/, ""))}`;
}

const commandIn = (args: readonly unknown[]) =>
  args.map(String).find((arg, at) => /^[a-z][a-z-]+$/.test(arg) && args[at - 1] !== "-c") ?? "";

const kindOfFile = (path: string) =>
  withoutIds(path.replaceAll(folder, "").replace(/^https?:\/\/[^/]+/, "")).replace(
    /-[A-Za-z0-9]{6}$/,
    "-TEMP",
  );

function descriptorPath(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

function stateNow(): string {
  try {
    return createHash("sha256").update(stateBelow(folder)).digest("hex");
  } catch {
    return "changing"; // another program writes there
  }
}

if (states !== undefined) process.on("exit", () => writeFileSync(states, seen.join("\n")));

type Call = (...args: unknown[]) => unknown;

function watch(place: object, names: readonly string[]): void {
  const calls = place as Record<string, Call>;
  for (const name of names) {
    const real = calls[name] as Call;
    calls[name] = (...args: unknown[]) => {
      step(name, args);
      if (/^writeFile/.test(name)) writeInSteps(args);
      if (name === "writeSync") writeHalf(args);
      return real(...args);
    };
  }
}

/** The file is empty, then half there. */
function writeInSteps(args: readonly unknown[]): void {
  const [path, data, options] = args;
  if (typeof path !== "string" || (options as { flag?: string } | undefined)?.flag !== undefined) return;
  if (existsSync(path)) truncateSync(path);
  step("half", args);
  if ((left === 1 || states !== undefined) && (typeof data === "string" || Buffer.isBuffer(data)))
    writeFileSync(path, data.slice(0, Math.floor(data.length / 2)), options as object);
  step("write", args);
}

/** Half of the bytes are written; not for printed output. */
function writeHalf(args: readonly unknown[]): void {
  const [descriptor, data, offset, length, position] = args as [number, unknown, number, number, number];
  if (descriptor <= 2 || !Buffer.isBuffer(data) || typeof position !== "number") return;
  if (left === 1 || states !== undefined)
    writeSync(descriptor, data, offset, Math.floor(length / 2), position);
  step("half", args);
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
// Requests by `fetch` and by a bundled undici: sent and answered, but not yet received.
const request = (name: string) => (message: unknown) => {
  const { method, path } = (
    message as { readonly request: { readonly method: string; readonly path: string } }
  ).request;
  requests += 1;
  step(name, [path, { method }]);
};
subscribe("undici:request:create", request("request"));
subscribe("undici:request:headers", request("answer"));
syncBuiltinESMExports();
