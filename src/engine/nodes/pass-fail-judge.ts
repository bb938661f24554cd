import { asText, isObject, jsonOrText } from "../../expressions/output-value.ts";
import type { AgentNode } from "../../plan/plan.ts";
import { dataBlock } from "../../stops/untrusted-block.ts";
import type { ExecutionContext } from "../execution-context.ts";
import type { Operation } from "../operation.ts";
import { failed, type Outcome } from "../outcome.ts";
import { scopeAt } from "../scope.ts";
import { askAgent } from "./agent-request.ts";

/** Asks an agent whether a node's output is good enough. The first line of its answer chooses the gate's exit. */
export function* passFailOutcome(
  { id, call }: AgentNode,
  context: ExecutionContext,
  { node, field, value }: NonNullable<AgentNode["judges"]>,
): Operation<Outcome> {
  const output = value === undefined ? outputOf(context.outcome(node)) : scopeAt(context).text(value);
  if (output === undefined) return failed("node-failed", `${id} judges ${node}, which has no output yet`);
  const shown = ["\n\n", dataBlock(`output-of-${node}`, output)];
  const { text } = yield* askAgent({ ...call, prompt: [...call.prompt, ...shown] }, context, { node: id });
  const [line = ""] = text.trim().split(/\r\n|[\n\r]/);
  const passes = /^[*_`]*pass/i.test(line);
  if (!passes) return { status: "completed", output: line.trim(), exit: "fail" };
  return { status: "completed", output: lastField(output, field) ?? line.trim(), exit: "pass" };
}

const outputOf = (outcome: Outcome | undefined): string | undefined =>
  outcome?.status === "completed" ? outcome.output : undefined;

/** One field of the last entry, if the output to judge is a list. */
function lastField(output: string, field: string | undefined): string | undefined {
  const list = field === undefined ? undefined : jsonOrText(output);
  const last = Array.isArray(list) ? list.at(-1) : undefined;
  if (field === undefined || !isObject(last) || !Object.hasOwn(last, field)) return undefined;
  return asText(last[field] ?? null);
}
