import type { ShellAnswer } from "../ports/shell.ts";
import type { ProcessEnd } from "./process.ts";

/** Converts the end of a process to an answer. Throws the abort reason, because an aborted script has no answer. */
export function processAnswer(end: ProcessEnd, signal: AbortSignal): ShellAnswer {
  if (end.how === "aborted") throw signal.reason;
  if (end.how === "not-started") throw new Error(end.fault?.message ?? "the program could not be started");
  return {
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...(end.how === "timed-out" ? { timedOut: true } : {}),
    stdout: end.stdout,
    tail: end.tail,
  };
}
