// Updates the agents that test/real-agents/ uses to their newest versions on npm: in
// test/real-agents/clis/package.json, as `tested` in src/agents/NAME.ts, and in src/agents/locks/. A version outside
// the supported range is left to a person.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { CliProgram } from "../src/agents/cli/cli-definition.ts";
import { versionWarning } from "../src/agents/cli/program.ts";
import { unhashedIn } from "../src/agents/install.ts";
import { cliAgents } from "../src/agents/registry.ts";

const pinned = "test/real-agents/clis/package.json";

for (const { name, program } of cliAgents) {
  const { tested } = program;
  const newest = viewed(program, "version");
  const strange = versionWarning(program, newest);
  const deprecated = viewed(program, "deprecated");
  if (deprecated !== "") console.log(`${name}: ${program.package} is deprecated: ${deprecated}`);
  if (tested === undefined || !/^\d+\.\d+\.\d+$/.test(newest) || newest === tested) {
    console.log(`${name}: ${tested} is the newest`);
  } else if (strange !== undefined) {
    console.log(`${name}: ${tested} stays; ${strange}`);
  } else if (canLock(program, newest)) {
    replace(pinned, { from: `"${program.package}": "${tested}"`, to: `"${program.package}": "${newest}"` });
    replace(`src/agents/${name}.ts`, { from: `tested: "${tested}"`, to: `tested: "${newest}"` });
    console.log(`${name}: ${tested} → ${newest}`);
    continue;
  }
  if (tested !== undefined && !isLockedWhole(program)) lock(program, tested);
}
execFileSync("npm", ["run", "tables", "--loglevel=error"], { stdio: "inherit" });

/** A field of the newest version on npm; empty if it has none. */
function viewed({ package: name }: CliProgram, field: string): string {
  return execFileSync("npm", ["view", name, field, "--loglevel=error"], { encoding: "utf8" }).trim();
}

/** Writes the lockfile of a version; reports dependencies that the registry lacks. */
function canLock(program: CliProgram, version: string): boolean {
  try {
    lock(program, version);
    return true;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: unknown };
    const lines = String(stderr ?? error).split("\n");
    const why = lines.find((line) => /^npm error (?!code )/.test(line)) ?? lines[0];
    console.log(`${program.name}: ${program.tested} stays; ${version} cannot be installed: ${why}`);
    return false;
  }
}

function replace(file: string, { from, to }: { readonly from: string; readonly to: string }): void {
  const text = readFileSync(file, "utf8");
  if (!text.includes(from)) throw new Error(`${file} does not say ${from}`);
  writeFileSync(file, text.replace(from, to));
}

function lockOf({ name }: CliProgram): string {
  return `src/agents/locks/${name}/package-lock.json`;
}

/** True if the tested version has a lockfile with the hash of every package. */
function isLockedWhole(program: CliProgram): boolean {
  const file = lockOf(program);
  if (!existsSync(file)) return false;
  const { packages } = JSON.parse(readFileSync(file, "utf8"));
  const { version } = packages[`node_modules/${program.package}`];
  return version === program.tested && unhashedIn({ packages }).length === 0;
}

/** Writes all dependencies of a version, for every platform, with the hash of each package that the registry has. */
function lock(program: CliProgram, version: string): void {
  const folder = mkdtempSync(join(tmpdir(), "lock-"));
  const wanted = { name: "agent", private: true, dependencies: { [program.package]: version } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(wanted));
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--omit-lockfile-registry-resolved"];
  execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts", ...quiet], {
    cwd: folder,
    stdio: "pipe",
  });
  const made = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  rmSync(folder, { recursive: true });
  const own = made.packages[`node_modules/${program.package}`];
  for (const [name, version] of Object.entries<string>(own.optionalDependencies ?? {}))
    made.packages[`node_modules/${name}`] ??= { version, ...platformOf(name), optional: true };
  for (const each of Object.values<Record<string, unknown>>(made.packages))
    for (const unneeded of ["license", "engines", "funding", "deprecated"]) delete each[unneeded];
  mkdirSync(dirname(lockOf(program)), { recursive: true });
  writeFileSync(lockOf(program), `${JSON.stringify(made)}\n`);
  const missing = unhashedIn(made);
  if (missing.length > 0)
    console.log(`${program.name}: the registry has no ${missing.map((path) => basename(path)).join(", ")}`);
}

/** The platform in a package's name: `npm ci` skips it on all others. */
function platformOf(name: string): object {
  const [, os = "", cpu = ""] = /-(linux|darwin|windows|win32)-(x64|arm64)\b/.exec(name) ?? [];
  if (cpu === "") throw new Error(`${name} does not tell its platform`);
  const libc = os === "linux" && name.endsWith("-musl") ? { libc: ["musl"] } : {};
  return { os: [os.replace("windows", "win32")], cpu: [cpu], ...libc };
}
