import { asJson, asText, isObject } from "../../expr/output.ts";
import type { AgentNode } from "../../plan/plan.ts";
import { dataBlock } from "../../stops/data-block.ts";
import type { Flow } from "../flow.ts";
import type { Here } from "../here.ts";
import { failed, type Outcome } from "../outcome.ts";
import { askAgent } from "./ask.ts";

/** Asks an agent whether what a node gave is good enough: its first line decides by which exit the gate leaves. */
export function* judgedBy(
  { id, call }: AgentNode,
  here: Here,
  { node, field }: NonNullable<AgentNode["judges"]>,
): Flow<Outcome> {
  const judged = here.outcome(node);
  if (judged?.status !== "completed") {
    return failed("node-failed", `${id} judges ${node}, which has not given anything yet`);
  }
  const shown = ["\n\n", dataBlock(`output-of-${node}`, judged.output)];
  const { text } = yield* askAgent({ ...call, prompt: [...call.prompt, ...shown] }, here, { node: id });
  const [line = ""] = text.trim().split(/\r\n|[\n\r]/);
  const passes = /^[*_`]*pass/i.test(line);
  if (!passes) return { status: "completed", output: line.trim(), exit: "fail" };
  return { status: "completed", output: lastField(judged.output, field) ?? line.trim(), exit: "pass" };
}

/** One field of the last entry, where what was judged is a list. */
function lastField(output: string, field: string | undefined): string | undefined {
  const list = field === undefined ? undefined : asJson(output);
  const last = Array.isArray(list) ? list.at(-1) : undefined;
  if (field === undefined || !isObject(last) || !Object.hasOwn(last, field)) return undefined;
  return asText(last[field] ?? null);
}
