import {
  closeSync,
  constants,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { resolve } from "node:path";
import { arch } from "node:process";
import { namesIn, textIn } from "./lenient-reads.ts";

/**
 * Unblocks a git process that waits for named pipes. An agent can create one under any name that git opens, such as
 * `.gitignore`, and git then waits until somebody writes to it. Removes each pipe, or the link to it, and returns their
 * paths, one character per byte. Linux only: `/proc` shows which file a process is opening.
 */
export function removePipes(pid: number): readonly string[] {
  return waitsForPipes(pid, deepestGit).filter(removePipe);
}

/** The pipes that a process and its descendants are opening right now, one character per byte. */
export function waitsForPipes(pid: number, deepest: number): readonly string[] {
  const threads = withChildren(`${pid}`, deepest).flatMap((id) =>
    namesIn(`/proc/${id}/task`).map((thread) => `/proc/${id}/task/${thread}`),
  );
  return [...new Set(threads.flatMap((thread) => opening(thread) ?? []))].filter(isPipe);
}

/** The ids of a process and its descendants, as many generations as given. */
export function withChildren(id: string, deepest = deepestGit): readonly string[] {
  const threads = deepest > 0 ? namesIn(`/proc/${id}/task`) : [];
  const children = threads.flatMap((thread) =>
    textIn(`/proc/${id}/task/${thread}/children`).trim().split(" "),
  );
  return [
    id,
    ...children.filter((child) => child !== "").flatMap((child) => withChildren(child, deepest - 1)),
  ];
}

const deepestGit = 4;

/** The system call numbers of `open` and `openat`, and which argument is the path. */
const calls: Readonly<Record<string, number>> =
  {
    x64: { "2": 0, "257": 1 },
    arm64: { "56": 1 },
  }[arch as string] ?? {};

/** `/proc/PID/task/TID/syscall` holds the number of the call and its arguments, in hexadecimal. */
function opening(folder: string): string | undefined {
  const [number = "", ...args] = textIn(`${folder}/syscall`).trim().split(" ");
  const at = calls[number];
  const address = at === undefined ? undefined : args[at];
  if (address === undefined) return undefined;
  try {
    const from = at === 0 ? here : Number(BigInt.asIntN(32, BigInt(args[0] ?? "")));
    const base = readlinkSync(from === here ? `${folder}/cwd` : `${folder}/fd/${from}`, "latin1");
    return resolve(base, pathAt(`${folder}/mem`, BigInt(address)));
  } catch {
    // The call has returned, or the thread has ended.
    return undefined;
  }
}

/** The kernel's value for the current folder of a process (`AT_FDCWD`). */
const here = -100;

function pathAt(memory: string, address: bigint): string {
  const file = openSync(memory, "r");
  try {
    const bytes = Buffer.alloc(longestPath);
    const length = readSync(file, bytes, { position: address });
    const end = bytes.indexOf(0);
    if (end < 0 || end >= length) throw new Error("no path there");
    return bytes.toString("latin1", 0, end);
  } finally {
    closeSync(file);
  }
}

const longestPath = 4096;

/** Whether a path leads to a named pipe. `/dev/stdin` and the like lead to anonymous pipes, which have no real path. */
function isPipe(path: string): boolean {
  try {
    return statSync(realpathSync(Buffer.from(path, "latin1"))).isFIFO();
  } catch {
    return false;
  }
}

/** Opening the pipe for writing unblocks its readers; they read end-of-file once it is closed. */
export function removePipe(path: string): boolean {
  const bytes = Buffer.from(path, "latin1");
  try {
    const pipe = openSync(bytes, constants.O_RDWR | constants.O_NONBLOCK);
    rmSync(bytes, { force: true });
    closeSync(pipe);
    return true;
  } catch {
    return false;
  }
}
