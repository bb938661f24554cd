import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import type { Writable } from "node:stream";
import { tempPath } from "./temp-folder.ts";

export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | undefined;
  /** Gets its standard input as a pipe, instead of `stdin`. */
  readonly talk?: ((stdin: Writable) => void) | undefined;
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
      stdio: [start.talk ? "pipe" : ((input as 3 | undefined) ?? "ignore"), "pipe", "pipe"],
      buffer: false,
      reject: false,
    });
    if (isStarted(program.nodeChildProcess)) {
      if (start.talk && program.stdin) start.talk(program.stdin);
      return program.nodeChildProcess;
    }
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

/**
 * Opens an unlinked file with this content for a program's standard input; returns its descriptor, which the caller
 * closes. The file is complete before the program starts, so a program whose parent is killed never reads half of it.
 * It has no name: only its readers can reach it, and it disappears with the last of them.
 */
function openInput(content: string | Uint8Array): number {
  const path = tempPath("input");
  const file = openNew(path);
  try {
    unlinkSync(path);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    // Written by position, so that the descriptor's offset stays at the start.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Throws without an error code: with the ENOENT of a missing folder, the program would be reported as missing. */
function openNew(path: string): number {
  try {
    return openSync(path, "wx+", 0o600);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOENT", "ENOTDIR", "EACCES", "EROFS"].includes(code)) throw error;
    throw new Error(
      `its input cannot be written to ${tmpdir()} (${code}); create that folder, make it writable, or set TMPDIR to another one`,
      { cause: error },
    );
  }
}
