import { existsSync, readlinkSync, statSync } from "node:fs";
import { namesIn, textIn } from "./lenient-reads.ts";

export function uidOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

export function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** A process's state, parent, group, and start time in clock ticks since boot. Its name may contain any character. */
export function statOf(pid: number) {
  const stat = inProc(pid, "stat");
  if (stat === "") return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    isDead: /^[ZX]/.test(fields[0] ?? ""),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    began: Number(fields[19]),
  };
}

/** A process's command line as text; its name if it has none. */
export function commandOf(pid: number): string {
  const line = inProc(pid, "cmdline").replaceAll("\0", " ").trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line || inProc(pid, "comm").trim();
}

/** The group of a living process; `undefined` if it is gone or a zombie. */
export function groupOf(pid: number): number | undefined {
  const stat = statOf(pid);
  return stat?.isDead ? undefined : stat?.group;
}

export const processes = (): readonly number[] => namesIn("/proc").map(Number).filter(Number.isInteger);

/** Costs less than reading a file of a process that is gone. */
export const exists = (pid: number) => existsSync(`/proc/${pid}`);

export const inProc = (pid: number, file: "environ" | "stat" | "cmdline" | "comm") =>
  textIn(`/proc/${pid}/${file}`);

/** The PID given last; NaN if it is unknown. */
export const lastPid = () => Number(textIn("/proc/loadavg").trim().split(" ").at(-1) || "?");
