// Bumps the agents that test/real-agents/ runs to their newest versions on npm: in test/real-agents/clis/package.json, as
// `tested` in src/agents/NAME.ts, and in src/agents/locks/. A version that its definition was not made for is left to a
// person.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CliProgram } from "../src/agents/cli/cli-definition.ts";
import { versionWarning } from "../src/agents/cli/program.ts";
import { cliAgents } from "../src/agents/registry.ts";

const pinned = "test/real-agents/clis/package.json";

for (const { name, program } of cliAgents) {
  const { tested } = program;
  const newest = execFileSync("npm", ["view", program.package, "version", "--loglevel=error"], {
    encoding: "utf8",
  }).trim();
  const strange = versionWarning(program, newest);
  if (tested === undefined || !/^\d+\.\d+\.\d+$/.test(newest) || newest === tested) {
    console.log(`${name}: ${tested} is the newest`);
  } else if (strange !== undefined) {
    console.log(`${name}: ${tested} stays; ${strange}`);
  } else {
    replace(pinned, { from: `"${program.package}": "${tested}"`, to: `"${program.package}": "${newest}"` });
    replace(`src/agents/${name}.ts`, { from: `tested: "${tested}"`, to: `tested: "${newest}"` });
    console.log(`${name}: ${tested} → ${newest}`);
    lock(program, newest);
    continue;
  }
  if (tested !== undefined && !existsSync(lockOf(program))) lock(program, tested);
}
execFileSync("npm", ["run", "tables", "--loglevel=error"], { stdio: "inherit" });

function replace(file: string, { from, to }: { readonly from: string; readonly to: string }): void {
  const text = readFileSync(file, "utf8");
  if (!text.includes(from)) throw new Error(`${file} does not say ${from}`);
  writeFileSync(file, text.replace(from, to));
}

function lockOf({ name }: CliProgram): string {
  return `src/agents/locks/${name}/package-lock.json`;
}

/** Writes down all that a version depends on, for every platform, with the hash of each package. */
function lock(program: CliProgram, version: string): void {
  const folder = mkdtempSync(join(tmpdir(), "lock-"));
  const wanted = { name: "agent", private: true, dependencies: { [program.package]: version } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(wanted));
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--omit-lockfile-registry-resolved"];
  execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts", ...quiet], { cwd: folder });
  const made = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  rmSync(folder, { recursive: true });
  const own = made.packages[`node_modules/${program.package}`];
  const missing = Object.keys(own.optionalDependencies ?? {}).filter(
    (name) => !(`node_modules/${name}` in made.packages),
  );
  if (missing.length > 0) {
    // With such a lock the program would be missing on those platforms.
    console.log(`${program.name} is not locked: the registry has no ${missing.join(", ")}`);
    return;
  }
  for (const each of Object.values<Record<string, unknown>>(made.packages))
    for (const unneeded of ["license", "engines", "funding", "deprecated"]) delete each[unneeded];
  mkdirSync(dirname(lockOf(program)), { recursive: true });
  writeFileSync(lockOf(program), `${JSON.stringify(made)}\n`);
}
