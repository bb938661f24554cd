import type { AgentAnswer } from "../../ports/agent.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import { failed, type Outcome } from "../outcome.ts";

/** The outcome of a node completed by an agent's answer. */
export const outcomeOfAnswer = ({ text, result }: AgentAnswer): Outcome => ({
  status: "completed",
  output: text,
  ...(result === undefined ? {} : { result }),
});

/** The outcome of a node whose work a process did. Its output is standard output less one trailing newline. */
export function outcomeOfProcess(answer: ShellAnswer, what: string): Outcome {
  const output = answer.stdout.replace(/\r?\n$/, "");
  if (answer.exitCode === 0) return { status: "completed", output };
  if (answer.timedOut) return failed("timeout", `${what} ran over its time limit`, output);
  const how =
    answer.exitCode === undefined ? `was ended by ${answer.signal}` : `exited with ${answer.exitCode}`;
  const last = answer.tail.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return failed("node-failed", last === "" ? `${what} ${how}` : `${what} ${how}: ${last}`, output);
}
