import { readFileSync, readlinkSync } from "node:fs";

/** A value that cannot be determined here. */
export const unknown = "-";

// Read once: every append takes a lock.
let ourStart: string | undefined;
let ourNamespace: string | undefined;

/** When this process started; see `startOf`. */
export function startOfUs(): string {
  ourStart ??= startOf("self");
  return ourStart;
}

/** The number of this process's PID namespace, if there is a /proc: two containers may have the same host name. */
export function namespaceOfUs(): string {
  ourNamespace ??= namespaceOf();
  return ourNamespace;
}

function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? unknown;
  } catch {
    return unknown;
  }
}

/** True if a process of this namespace has ended, even if its PID was reused. */
export function hasEnded(pid: string, start: string): boolean {
  if (!(Number(pid) > 0)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  const now = startOf(pid);
  return now !== unknown && start !== unknown && now !== start;
}

/** Distinguishes a process from a later one with the same PID: boot and start time, if there is a /proc. */
function startOf(pid: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return "dead";
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8)}:${fields[19]}`;
  } catch {
    return unknown;
  }
}
