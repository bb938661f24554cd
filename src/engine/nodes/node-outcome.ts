import type { AgentAnswer } from "../../ports/agent.ts";
import type { Json } from "../../ports/json.ts";
import { complaintOf } from "../../ports/json-schema.ts";
import { parseJson } from "../../ports/parse-json.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import { failed, type Outcome, type Skipped } from "../outcome.ts";

/** The outcome of a node completed by an agent's answer. */
export const outcomeOfAnswer = ({ text, result }: AgentAnswer): Outcome => ({
  status: "completed",
  output: text,
  ...(result === undefined ? {} : { result }),
});

/** The outcome of a program that ran out of time, where its author allows that. */
export const skippedAtLimit: Skipped = {
  status: "skipped",
  because: "it ran over its time limit",
  byFailure: false,
};

/**
 * The outcome of a node whose work was done by a process. Its output is stdout without one trailing newline; with a
 * schema, it must be JSON that matches it.
 */
export function outcomeOfProcess(answer: ShellAnswer, what: string, schema?: Json): Outcome {
  const output = answer.stdout.replace(/\r?\n$/, "");
  if (answer.exitCode === 0)
    return schema === undefined ? { status: "completed", output } : printed(output, what, schema);
  if (answer.timedOut) return failed("timeout", `${what} ran over its time limit`, output);
  const how =
    answer.exitCode === undefined ? `was ended by ${answer.signal}` : `exited with ${answer.exitCode}`;
  const last = answer.tail.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return failed("node-failed", last === "" ? `${what} ${how}` : `${what} ${how}: ${last}`, output);
}

/** The JSON that a program printed, as its result. */
function printed(output: string, what: string, schema: Json): Outcome {
  const result = parseJson(output);
  const because =
    result === undefined ? "standard output is not one JSON document" : complaintOf(result, schema);
  if (result !== undefined && because === undefined) return { status: "completed", output, result };
  const message = `the output of ${what} does not match its output_format: ${because}`;
  return { ...failed("node-failed", message, output), permanent: true };
}
