import { readdirSync, readFileSync } from "node:fs";
import { programPath } from "./program-path.ts";
import { systemPath } from "./system-path.ts";

/** The environment in which the walls are built, and the other variables as arguments of `env`, for the program. */
export interface PartedEnvironment {
  readonly outside: Readonly<Record<string, string>>;
  readonly assignments: readonly string[];
}

/**
 * Separates the variables through which a program loads code. They may point to places that programs of the run can
 * write to (an empty entry of LD_LIBRARY_PATH means the current folder), and the code that builds the walls runs
 * outside them.
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
 * A command prefix that closes inherited file descriptors, which would otherwise be passed on; empty if there are none.
 * Node closes only low numbers. The descriptor of a folder would lead past the file wall.
 */
export function closingPrefix(): readonly string[] {
  inherited ??= inheritedFiles();
  if (inherited.length === 0) return [];
  const closed = inherited.map((number) => `${number}>&-`).join(" ");
  return [programPath("bash", systemPath), "-c", `exec ${closed}; exec "$@"`, "wall"];
}

/** Computed once: no more are inherited later. */
let inherited: readonly number[] | undefined;

/** The open file descriptors that a new program would inherit. Node opens its own with close-on-exec. Linux only. */
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
    // The descriptor of the folder that was just read; it is closed by now.
    return false;
  }
}

const closeOnExec = 0o2000000;
