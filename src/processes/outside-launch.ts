import { readdirSync, readFileSync } from "node:fs";
import { programPath } from "./program-path.ts";
import { systemPath } from "./system-path.ts";

/** What is left out of the environment in which the walls are built, and how `env` sets it for the program. */
export interface PartedEnvironment {
  readonly outside: Readonly<Record<string, string>>;
  readonly assignments: readonly string[];
}

/**
 * Parts the variables by which a program loads code: they may name places in which programs of the run write, such as the
 * checkout by an empty entry of LD_LIBRARY_PATH, and what builds the walls runs outside them.
 */
export function partEnvironment(env: Readonly<Record<string, string>>): PartedEnvironment {
  const entries = Object.entries(env);
  return {
    outside: Object.fromEntries(entries.filter(([name]) => !loadsCode.test(name))),
    assignments: entries.filter(([name]) => loadsCode.test(name)).map(([name, value]) => `${name}=${value}`),
  };
}

const loadsCode = /^(LD_\w+|BASH_FUNC_.*|BASH_ENV|ENV|BASHOPTS|SHELLOPTS|GCONV_PATH|LOCPATH)$/;

/**
 * The prefix of a program that closes what this process inherited and would pass on; none if there is nothing. Node
 * closes such files only if their numbers are low. One that is a folder would lead past the file wall.
 */
export function closingPrefix(): readonly string[] {
  inherited ??= inheritedFiles();
  if (inherited.length === 0) return [];
  const closed = inherited.map((number) => `${number}>&-`).join(" ");
  return [programPath("bash", systemPath), "-c", `exec ${closed}; exec "$@"`, "wall"];
}

/** None comes later. */
let inherited: readonly number[] | undefined;

/** The numbers of open files that a new program gets, too; Node opens its own so that none does. Linux only. */
function inheritedFiles(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((number) => number > 2 && isPassedOn(number));
  } catch {
    return [];
  }
}

function isPassedOn(number: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // That of the folder itself, which is closed by now.
    return false;
  }
}

const closeOnExec = 0o2000000;
