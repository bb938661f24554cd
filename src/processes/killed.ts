import { constants } from "node:os";
import type { ProcessEnd } from "./process.ts";

/** The exit codes of a shell whose command was ended by a signal: 128 plus the signal's number. */
const exitCodes: Readonly<Record<number, NodeJS.Signals>> = { 137: "SIGKILL", 143: "SIGTERM" };

/** The signal by which somebody else ended a program; `undefined` if it ended by itself, crashed, or if we ended it. */
export function killedBy({ how, signal, exitCode, outOfMemory }: ProcessEnd): NodeJS.Signals | undefined {
  if (how !== "exited" || outOfMemory === true) return undefined;
  if (signal === "SIGKILL" || signal === "SIGTERM") return signal;
  return exitCode === undefined ? undefined : exitCodes[exitCode];
}

/** The probable sender, and what to do. */
export const killedAdvice = (signal: NodeJS.Signals): string =>
  signal === "SIGKILL"
    ? "Somebody killed it, or the system did because memory ran out: see `dmesg` and the container's memory limit"
    : "Somebody killed it, or the system did while it shut down";

/** An exit code, with the signal that a shell reports by it. */
export function exitCodeText(code: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return signal === undefined ? String(code) : `${code} (${signal})`;
}
