import { isObject } from "../../expressions/output-value.ts";
import { renderText } from "../../expressions/render.ts";
import type { ProgramData } from "../../plan/sequence.ts";
import type { Json } from "../../ports/json.ts";
import { parseJson } from "../../ports/parse-json.ts";
import type { ShellAnswer } from "../../ports/shell.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { perform } from "../operation.ts";
import type { Outcome } from "../outcome.ts";
import { scopeAt } from "../scope.ts";
import type { NodeOperation } from "./node.ts";
import { outcomeOfProcess, skippedAtLimit } from "./node-outcome.ts";

const defaultTimeoutMs = 120_000;

export const script: NodeOperation<"script"> = function* (node, context) {
  const scope = scopeAt(context);
  const source =
    "file" in node.source ? node.source : { inline: renderText(node.source.inline, scope, "json") };
  const own = Object.entries(node.env ?? {}).map(([name, text]) => [name, renderText(text, scope)] as const);
  const ask = {
    runtime: node.runtime,
    source,
    deps: node.deps,
    env: { ...scope.environment(), ...Object.fromEntries(own), ...programData(node.data, context) },
    timeoutMs: node.timeoutMs ?? defaultTimeoutMs,
  };
  const answer = yield* perform("script", context.path, { ask, workspace: context.workspace });
  if (node.maySkip && answer.timedOut) return skippedAtLimit;
  return node.prints === "outcome"
    ? parseProgramOutput(answer)
    : outcomeOfProcess(answer, "the script", node.schema);
};

/** The variable that holds a program's scope as JSON: inputs override outputs, outputs override memory. */
function programData(
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
function parseProgramOutput(answer: ShellAnswer): Outcome {
  const ended = outcomeOfProcess(answer, "the program");
  if (ended.status !== "completed") return ended;
  const printed = parseJson(answer.stdout);
  const { output, exit } = isObject(printed) ? printed : {};
  if (typeof output !== "string") {
    return { status: "completed", output: "Error: the program printed something else than its result" };
  }
  return { status: "completed", output, ...(typeof exit === "string" && exit !== "" ? { exit } : {}) };
}
