import { isObject } from "../../expressions/output-value.ts";
import type { ProgramData } from "../../plan/sequence.ts";
import type { Json } from "../../ports/json.ts";
import { parseJson } from "../../ports/parse-json.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { Outcome } from "../outcome.ts";
import { scopeAt } from "../scope.ts";
import { outcomeOfProcess } from "./node-outcome.ts";

/** The variable that holds a program's scope as JSON: inputs override outputs, outputs override memory. */
export function programData(
  data: ProgramData | undefined,
  context: ExecutionContext,
): Readonly<Record<string, string>> {
  if (data === undefined) return {};
  const outputs = [...(context.shared?.outputs ?? [])].map(([id, { output }]) => [id, output] as const);
  const memory: (readonly [string, Json])[] = [
    ...Object.entries(context.inputs),
    ...(context.shared?.memory ?? []),
  ];
  const scope = scopeAt(context);
  const values = Object.entries(data.given).map(([name, value]) => [name, scope.value(value)] as const);
  const whole = (names: readonly string[], entries: readonly (readonly [string, Json])[]) =>
    names.map((name) => [name, Object.fromEntries(entries)] as const);
  const all = [
    ...whole(data.outputs, outputs),
    ...whole(data.memory, memory),
    ...memory,
    ...outputs,
    ...values,
  ];
  return { [data.variable]: JSON.stringify(Object.fromEntries(all)) };
}

/** The outcome that a program printed. Anything but a JSON object of the expected form is the node's output. */
export function parseProgramOutput(answer: ShellAnswer): Outcome {
  const ended = outcomeOfProcess(answer, "the program");
  if (ended.status !== "completed") return ended;
  const { output, exit } = outcomeIn(answer.stdout) ?? {};
  if (typeof output !== "string") {
    return { status: "completed", output: "Error: the program printed something else than its result" };
  }
  return { status: "completed", output, ...(typeof exit === "string" && exit !== "" ? { exit } : {}) };
}

function outcomeIn(stdout: string): { readonly [key: string]: Json } | undefined {
  const value = parseJson(stdout);
  return isObject(value) ? value : undefined;
}
