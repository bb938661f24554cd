/**
 * `npm run simulate:planted -- [--seeds N] [--minutes M] [WORDS]`: plants one bug at a time in a copy of the sources
 * (only those whose names contain the words) and reports which ones the simulator finds. Each is a change that a
 * person could make. Two at a time; none starts after M minutes (20).
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { plantedBugs } from "./planted-bugs/bugs.ts";

const { values, positionals } = parseArgs({
  options: { seeds: { type: "string", default: "400" }, minutes: { type: "string", default: "20" } },
  allowPositionals: true,
});
const [filter = ""] = positionals;
const planted = plantedBugs.filter(([what]) => what.includes(filter));
const top = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "planted-"));
const end = performance.now() + Number(values.minutes) * 60_000;

interface Ended {
  /** `undefined` if it was stopped. */
  readonly status: number | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Plays histories in a copy of the sources. */
function simulate(copy: string, mostMs: number): Promise<Ended> {
  const began = performance.now();
  return new Promise((ended) => {
    const args = ["scripts/simulate.ts", "--seeds", values.seeds, "--first"];
    execFile(process.execPath, args, { cwd: copy, timeout: mostMs }, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.killed === true ? undefined : Number(error.code);
      ended({ status, stdout, stderr, ms: performance.now() - began });
    });
  });
}

function copyOf(name: string): string {
  const copy = join(folder, name);
  for (const part of ["src", "test", "scripts", "package.json", "tsconfig.json"])
    cpSync(join(top, part), join(copy, part), { recursive: true });
  symlinkSync(join(top, "node_modules"), join(copy, "node_modules"));
  return copy;
}

let found = 0;
let played = 0;

/** Takes one bug after the other until none is left or the time is up. */
async function work(copy: string, left: (typeof plantedBugs)[number][], soundMs: number): Promise<void> {
  for (let bug = left.shift(); bug !== undefined && performance.now() < end; bug = left.shift()) {
    const [what, file, from, to] = bug;
    const path = join(copy, file);
    const sound = readFileSync(path, "utf8");
    writeFileSync(
      path,
      sound.replace(from, () => to),
    );
    // Only this timeout detects a history that never ends. The machine may have become busier meanwhile.
    const { status, stdout, stderr, ms } = await simulate(copy, 30_000 + Math.round(3 * soundMs));
    writeFileSync(path, sound);
    const isFound = status !== 0;
    played += 1;
    if (isFound) found += 1;
    // A bug may also crash the simulator itself.
    const output = stdout.split("\n", 2).join("") || (/^\w*Error.*/m.exec(stderr)?.[0] ?? "");
    const how = status === undefined ? "it hangs" : output;
    console.log(`${isFound ? "found " : "MISSED"} ${what} (${(ms / 1000).toFixed(0)} s): ${how}`);
  }
}

try {
  const copies = Array.from({ length: 2 }, (_, index) => copyOf(`${index}`));
  const sound = await simulate(copies[0] as string, 600_000);
  if (sound.status !== 0) throw new Error(`the simulator finds something without a bug:\n${sound.stdout}`);
  const left = [...planted];
  await Promise.all(copies.map((copy) => work(copy, left, sound.ms)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const unplayed = planted.length - played;
console.log(
  `${found} of ${planted.length} planted bugs found${unplayed === 0 ? "" : `, ${unplayed} not tried`}`,
);
process.exitCode = found >= Math.ceil(planted.length * 0.95) ? 0 : 1;
