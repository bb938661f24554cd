import type { Graph } from "../../plan/plan.ts";
import type { ExecutionContext } from "../execution-context.ts";

/** The prompt of a workflow's coordinator when a step has sent it messages. */
export function promptOfCoordinator(
  messages: readonly { readonly text: string }[],
  context: ExecutionContext,
): string {
  const { plan, message, label, path } = context;
  const request = message.trim() === "" ? [] : [`## Request\n${message.trim()}`];
  const from = label(path);
  return [
    ...request,
    `You coordinate the workflow "${plan.name}". Its step ${from} has sent you this:`,
    ...messages.map(({ text }) => `## Message from ${from}\n${text}`),
    `Steps that read messages: ${readersIn(plan.body).join(", ")}. Send one of them what it should know, by its name; one of ` +
      "a loop reads it in the next iteration. What you answer besides is for people to read.",
  ].join("\n\n");
}

/** The steps that call an agent themselves. */
const readersIn = ({ nodes }: Graph): readonly string[] =>
  nodes.flatMap((node) => {
    if (node.kind === "agent") return [node.id];
    if (!("body" in node) || node.body.kind === "call") return [];
    return node.body.kind === "graph" ? readersIn(node.body) : [node.id];
  });
