import { isObject } from "../../expr/output.ts";
import type { ProgramData } from "../../plan/walk.ts";
import type { Json } from "../../ports/json.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import type { Here } from "../here.ts";
import type { Outcome } from "../outcome.ts";
import { scopeAt } from "../scope.ts";
import { endedBy } from "./answer.ts";

/** The variable in which a program finds the scope as JSON; what is given to it wins over outputs, those over memory. */
export function programData(data: ProgramData | undefined, here: Here): Readonly<Record<string, string>> {
  if (data === undefined) return {};
  const outputs = [...(here.shared?.outputs ?? [])].map(([id, { output }]) => [id, output] as const);
  const memory: (readonly [string, Json])[] = [
    ...Object.entries(here.inputs),
    ...(here.shared?.memory ?? []),
  ];
  const scope = scopeAt(here);
  const given = Object.entries(data.given).map(([name, value]) => [name, scope.value(value)] as const);
  const whole = (names: readonly string[], entries: readonly (readonly [string, Json])[]) =>
    names.map((name) => [name, Object.fromEntries(entries)] as const);
  const all = [
    ...whole(data.outputs, outputs),
    ...whole(data.memory, memory),
    ...memory,
    ...outputs,
    ...given,
  ];
  return { [data.variable]: JSON.stringify(Object.fromEntries(all)) };
}

/** The outcome that a program printed; what is no JSON object of that form is told as the node's output. */
export function printedBy(answer: ShellAnswer): Outcome {
  const ended = endedBy(answer, "the program");
  if (ended.status !== "completed") return ended;
  const { output, exit } = outcomeIn(answer.stdout) ?? {};
  if (typeof output !== "string") {
    return { status: "completed", output: "Error: the program printed something else than its result" };
  }
  return { status: "completed", output, ...(typeof exit === "string" && exit !== "" ? { exit } : {}) };
}

function outcomeIn(stdout: string): { readonly [key: string]: Json } | undefined {
  try {
    const value = JSON.parse(stdout) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
