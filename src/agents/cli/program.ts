import { accessSync, constants, existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { AgentError } from "../../ports/agent.ts";
import type { Environment } from "../../processes/environment.ts";
import { leadsToFile } from "../../processes/path-kind.ts";
import type { CliProgram } from "./cli-definition.ts";

/** A program that is here. */
export interface FoundProgram {
  /** An absolute path. */
  readonly command: string;
  /** The version in its package; `undefined` if it has none. */
  readonly version: string | undefined;
}

export interface ProgramSearch {
  readonly environment: Environment;
  /** A folder with its own `node_modules`, or several, searched before the PATH. */
  readonly installed?: string | readonly string[] | undefined;
}

/** Finds an agent's program; throws an `AgentError` that explains how to get it. */
export function findProgram(program: CliProgram, search: ProgramSearch): FoundProgram {
  const located = lookFor(program, search);
  if (located !== undefined) return located;
  const advice = `install it (npm install --global ${program.package}) or choose another agent (see until-green doctor)`;
  const locked = places(program, search).find(leadsToFile);
  if (locked !== undefined)
    throw new AgentError("missing", `${locked} may not be executed: give it the x permission, or ${advice}`);
  throw new AgentError("missing", `${program.name} is not installed, or not on PATH: ${advice}`);
}

/** Finds an agent's program; `undefined` if it is not installed. */
export function lookFor(
  program: CliProgram,
  { environment, installed }: ProgramSearch,
): FoundProgram | undefined {
  const command = places(program, { environment, installed }).find(isExecutable);
  if (command === undefined) return undefined;
  const real = realpathSync(command);
  return { command: nativeOf(program, real) ?? command, version: versionOf(program, real) };
}

function places({ name }: CliProgram, { environment, installed }: ProgramSearch): readonly string[] {
  const folders = [
    ...[installed ?? []].flat().map((folder) => join(folder, "node_modules", ".bin")),
    ...(environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== ""),
  ];
  return folders.map((folder) => join(folder, name));
}

/** The notice about an untested version; `undefined` for a tested one. */
export function versionWarning(
  { name, from, below }: CliProgram,
  version: string | undefined,
): string | undefined {
  if (version === undefined || (compare(version, from) >= 0 && compare(version, below) < 0)) return undefined;
  return `${name} is version ${version}; until-green is made for ${from} and later, below ${below}`;
}

/** A folder can have the x permission too. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return leadsToFile(path);
  } catch {
    return false;
  }
}

/**
 * A package's command is often a script that only starts the program. Skipping it saves a process, and signals reach
 * the program directly.
 */
function nativeOf({ package: name, native = [] }: CliProgram, real: string): string | undefined {
  const modules = real.lastIndexOf(`${join("node_modules", name)}/`);
  if (modules < 0) return undefined;
  const folder = real.slice(0, modules + "node_modules".length);
  const inside = join(folder, name, "node_modules");
  return native.flatMap((path) => [join(inside, path), join(folder, path)]).find(isExecutable);
}

/** Read from the package that contains the program, because asking the program costs a start of it. */
function versionOf({ package: name }: CliProgram, real: string): string | undefined {
  for (let folder = dirname(real); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (!existsSync(file)) continue;
    const manifest = readPackage(file);
    if (manifest?.name === name || manifest?.name?.startsWith(`${name}-`)) return manifest.version;
  }
  return undefined;
}

function readPackage(file: string): { readonly name?: string; readonly version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
  } catch {
    return undefined;
  }
}

/** Compares major, minor and patch; ignores everything after them. */
function compare(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)];
  const at = [0, 1, 2].find((index) => left[index] !== right[index]) ?? 0;
  return (left[at] ?? 0) - (right[at] ?? 0);
}

const numbers = (version: string) => version.split(/[.+-]/).slice(0, 3).map(Number);
