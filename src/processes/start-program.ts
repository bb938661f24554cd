import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import process from "node:process";
import { openInput } from "./input-file.ts";

export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | undefined;
}

/** Starts a program in its own process group, with its output in pipes; returns an error if it did not start. */
export async function startProgram(start: ProgramStart): Promise<StartedProgram | Error> {
  const execa = await loadExeca();
  let input: number | undefined;
  try {
    input = start.stdin === undefined ? undefined : openInput(start.stdin);
    const program = execa(start.command, start.args, {
      ...plain,
      cwd: start.cwd,
      env: start.env,
      detached: true,
      // Any descriptor works; the types cover only those below ten.
      stdio: [(input as 3 | undefined) ?? "ignore", "pipe", "pipe"],
      buffer: false,
      reject: false,
    });
    if (isStarted(program.nodeChildProcess)) return program.nodeChildProcess;
    return (await program).cause as Error;
  } catch (error) {
    return error as Error;
  } finally {
    if (input !== undefined) closeSync(input);
  }
}

/** A running program. Its output is lost unless a listener is added immediately. */
export type StartedProgram = ChildProcess & { readonly pid: number };

const isStarted = (program: ChildProcess): program is StartedProgram => program.pid !== undefined;

export interface ShortProgram {
  readonly cwd?: string;
  /** The whole environment; default: ours. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

/** The standard output of a short program. Throws an error with its `stderr` if it fails. */
export async function outputOf(
  command: string,
  args: readonly string[],
  { cwd = process.cwd(), env = process.env, timeoutMs: timeout = 0 }: ShortProgram = {},
): Promise<string> {
  const execa = await loadExeca();
  const { stdout } = await execa(command, args, { ...plain, cwd, env, stdin: "ignore", timeout });
  return stdout;
}

/** Loaded with the first program: it takes 20 ms, which commands that start none save. */
async function loadExeca() {
  loaded ??= (await import("execa")).execa;
  return loaded;
}

let loaded: typeof import("execa").execa | undefined;

/** No signal handlers without `cleanup`; `verbose: "none"` prints nothing even if `NODE_DEBUG` names execa. */
const plain = { extendEnv: false, cleanup: false, stripFinalNewline: false, verbose: "none" } as const;
