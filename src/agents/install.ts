import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { arch, execPath, platform } from "node:process";
import { AgentError } from "../ports/agent.ts";
import { agentEnvironment, type Environment } from "../processes/environment.ts";
import { runProcess } from "../processes/process.ts";
import type { CliProgram } from "./cli/cli-definition.ts";
import { missingKey } from "./cli/missing-key.ts";
import { lookFor } from "./cli/program.ts";
import { cliAgents } from "./registry.ts";

/** The agents that are programs, by name. */
const programs: Readonly<Record<string, CliProgram>> = Object.fromEntries(
  cliAgents.map(({ name, program }) => [name, program]),
);

/** True if an agent is a program that can be installed. */
export const isProgram = (name: string): boolean => Object.hasOwn(programs, name);

/** Names the key that an agent's program lacks on this machine; `undefined` if it lacks none. */
export function missingKeyOf(name: string, environment: Environment): string | undefined {
  const cli = cliAgents.find((one) => one.name === name);
  return cli && missingKey(cli, { environment });
}

/** Installs an agent's program if it is missing; returns its folder if it had to be installed. */
export async function installAgent(name: string, installing: Installing): Promise<string | undefined> {
  const program = programs[name];
  if (program === undefined) return undefined;
  const lock = await locks[name]?.();
  return await installProgram(program, { ...installing, lock: lock?.default });
}

/** The lockfiles of the tested versions, written by `npm run agents:update`. */
export const locks: Readonly<Record<string, () => Promise<{ readonly default: Lockfile }>>> = {
  claude: () => import("./locks/claude/package-lock.json", { with: { type: "json" } }),
  codex: () => import("./locks/codex/package-lock.json", { with: { type: "json" } }),
  copilot: () => import("./locks/copilot/package-lock.json", { with: { type: "json" } }),
  gemini: () => import("./locks/gemini/package-lock.json", { with: { type: "json" } }),
  kimi: () => import("./locks/kimi/package-lock.json", { with: { type: "json" } }),
  opencode: () => import("./locks/opencode/package-lock.json", { with: { type: "json" } }),
  pi: () => import("./locks/pi/package-lock.json", { with: { type: "json" } }),
  qwen: () => import("./locks/qwen/package-lock.json", { with: { type: "json" } }),
};

export interface Installing {
  /** The variables that are used to find programs. */
  readonly environment: Environment;
  /** Where agents are installed; an installed agent is not installed again. */
  readonly folder: string;
  /** The exact version; by default any installed version. */
  readonly version?: string | undefined;
  /** The lockfile of the tested version: all its dependencies, with hashes. */
  readonly lock?: Lockfile | undefined;
  /** A folder to search for npm besides the PATH; default next to the running Node. */
  readonly npmBeside?: string;
  /** Reports what takes time. */
  say(text: string): void;
}

/** npm's `package-lock.json`. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly dependencies?: object;
  readonly version?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
}

/** The packages for which a lockfile has no hash, because the registry it was made with has none. */
export const unhashedIn = ({ packages }: Lockfile): readonly string[] =>
  Object.entries(packages)
    .filter(([path, { integrity, inBundle }]) => path !== "" && integrity === undefined && inBundle !== true)
    .map(([path]) => path);

/**
 * Installs an agent's program if it is missing. Returns its folder, or `undefined` if it is on the PATH. Runs no
 * scripts of packages. The tested version is installed from its lockfile. Throws an `AgentError` with a remedy.
 */
export async function installProgram(
  program: CliProgram,
  installing: Installing,
): Promise<string | undefined> {
  const { environment, folder, version: wanted, say } = installing;
  const here = lookFor(program, { environment });
  if (here !== undefined && (wanted === undefined || here.version === wanted)) return undefined;
  const version = wanted ?? program.tested;
  if (version === undefined) return undefined;
  const home = join(folder, `${program.name}-${version}-${platform}-${arch}`);
  if (isThere(program, home, version)) return home;
  say(`Installing ${program.name} ${version} (${program.package})`);
  await mkdir(folder, { recursive: true });
  // Installed beside its final folder and then renamed, so that it is there completely or not at all.
  const draft = await mkdtemp(join(folder, `.${program.name}-`));
  try {
    await install({ program, version, draft }, installing);
    await rm(home, { recursive: true, force: true });
    await rename(draft, home).catch((error: unknown) => {
      // Another job on this machine installed it first.
      if (!isThere(program, home, version)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return home;
}

const isThere = (program: CliProgram, home: string, version: string): boolean =>
  lookFor(program, { environment: {}, installed: home })?.version === version;

interface StagedProgram {
  readonly program: CliProgram;
  readonly version: string;
  readonly draft: string;
}

async function install(
  { program, version, draft }: StagedProgram,
  { environment, npmBeside, lock, say }: Installing,
): Promise<void> {
  const { package: name } = program;
  const isLocked = lock !== undefined && version === program.tested;
  if (!isLocked) say(`What ${name}@${version} depends on is not locked: ${lockedOf(program)}`);
  // Not in the checkout, whose .npmrc must not apply.
  const wanted = { name: "agent", private: true, dependencies: { [name]: version } };
  await writeFile(join(draft, "package.json"), JSON.stringify(wanted));
  if (isLocked) await writeFile(join(draft, "package-lock.json"), JSON.stringify(lock));
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const end = await runProcess({
    command: npmIn(environment, npmBeside) ?? noNpm(program),
    args: isLocked ? ["ci", ...quiet] : ["install", "--no-package-lock", ...quiet],
    cwd: draft,
    env: agentEnvironment(environment, {}),
    timeoutMs: mostMs,
    signal: new AbortController().signal,
  });
  if (end.how !== "exited" || end.exitCode !== 0)
    throw new AgentError(
      "missing",
      `${name}@${version} could not be installed: ${reasonOf(end.tail) || (end.fault?.message ?? end.how)}. ` +
        `Check that the npm registry is reachable and has this version, or install ${program.name} in a step before this one`,
    );
  for (const path of isLocked ? unhashedIn(lock) : [])
    if (existsSync(join(draft, path)))
      say(`What ${basename(path)}@${version} holds is not locked: our lockfile has no hash of it`);
  if (!isThere(program, draft, version))
    throw new AgentError(
      "missing",
      `${name}@${version} was installed, but holds no program ${program.name} for ${platform}-${arch} in that version: ask for another version, or choose another agent`,
    );
}

const lockedOf = ({ tested }: CliProgram) =>
  tested === undefined ? "no version of it is" : `only ${tested} is, with the hash of every package`;

const mostMs = 5 * 60_000;

/** npm on the PATH, or the one shipped with the running Node. */
const npmIn = ({ PATH = "" }: Environment, nodeFolder = dirname(execPath)): string | undefined =>
  [...PATH.split(delimiter).filter(isAbsolute), nodeFolder]
    .map((folder) => join(folder, "npm"))
    .find((file) => existsSync(file));

function noNpm({ name, package: wanted }: CliProgram): never {
  throw new AgentError(
    "missing",
    `${name} is not installed, and there is no npm to install it with: add a step with actions/setup-node before this one, or one that installs ${wanted}`,
  );
}

const reasonOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/complete log of this run|^npm error A complete/.test(line))
    .slice(0, 4)
    .map((line) => line.replace(/^npm error /, ""))
    .join("; ")
    .slice(0, 600);
