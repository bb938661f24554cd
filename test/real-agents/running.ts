import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** The living processes that work in a folder, oldest first. */
export const processesIn = (folder: string): readonly number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && cwdOf(pid) === folder)
    .sort((a, b) => a - b);

export const isRunning = (folder: string): boolean => processesIn(folder).length > 0;

/** Resolves once a command runs in a folder; rejects if that takes too long. */
export async function whenRunning(folder: string, command: string): Promise<void> {
  for (let left = 4_500; left > 0; left -= 1) {
    if (processesIn(folder).some((pid) => commandOf(pid).startsWith(command))) return;
    await wait(20);
  }
  throw new Error(`${command} never ran`);
}

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ""; // gone, or dead and not collected
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
