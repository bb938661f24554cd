import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Loaded into a process with `--import`: kills it with SIGKILL before a write to a file or folder. KILL_AT_WRITE is the
 * number of that write, KILL_AT_FILE a part of the path of those that count. A file that is replaced is cut to nothing
 * first, as it is between two system calls.
 */
let left = Number(process.env["KILL_AT_WRITE"]);
const file = process.env["KILL_AT_FILE"] ?? "";
for (const name of ["KILL_AT_WRITE", "KILL_AT_FILE"]) delete process.env[name];

function step(words: readonly unknown[]): void {
  if (file === "" || words.some((word) => typeof word === "string" && word.includes(file))) left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

const names = ["writeFileSync", "renameSync", "rmSync", "unlinkSync", "writeSync", "symlinkSync", "linkSync"];
const later = ["writeFile", "rename", "rm", "mkdir"];

type Call = (...words: unknown[]) => unknown;

function watch(place: Record<string, unknown>, name: string): void {
  const real = place[name] as Call;
  place[name] = (...words: unknown[]) => {
    step(words);
    const [path, , options] = words;
    const isCut =
      /^writeFile/.test(name) && typeof path === "string" && !(options as { flag?: string })?.flag;
    if (isCut && fs.existsSync(path)) {
      fs.truncateSync(path);
      step(words);
    }
    return real(...words);
  };
}

for (const name of names) watch(fs as unknown as Record<string, unknown>, name);
for (const name of later) watch(fs.promises as unknown as Record<string, unknown>, name);
syncBuiltinESMExports();
