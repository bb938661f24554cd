import { expect, test } from "vitest";
import { AgentError, type AgentFault } from "../../src/ports/agent.ts";
import { stage } from "../parts/stage.ts";

const node = (retry: string) => `name: t\nnodes: [{ id: a, prompt: Go., retry: { ${retry} } }]\n`;

/** How often a node is tried whose agent fails in this way. */
async function attempts(retry: string, fault: AgentFault): Promise<number> {
  const it = stage(node(retry), { agent: () => new AgentError(fault, "no") });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "failure" });
  return it.of("node.retried").filter(({ fault }) => fault === undefined).length + 1;
}

test.each<[AgentFault, number, number]>([
  ["timeout", 3, 3],
  ["idle", 3, 3],
  ["auth", 1, 3],
  ["refused", 1, 3],
  ["crash", 1, 3],
])(
  "after %s, a node is tried %d times, and %d times if its author retries all failures",
  async (...[fault, few, all]) => {
    expect(await attempts("max_attempts: 2, delay_ms: 1000", fault)).toBe(few);
    expect(await attempts("max_attempts: 2, delay_ms: 1000, on_error: all", fault)).toBe(all);
  },
);

test("a node that fails for want of budget is not tried again", async () => {
  const source = node("max_attempts: 2, delay_ms: 1000, on_error: all").replace(
    "nodes:",
    "budget: { usd: 1 }\nnodes:",
  );
  const usage = { input_tokens: 1, output_tokens: 0, cost_usd: 2 };
  const it = stage(source, { agent: () => new AgentError("crash", "no", { usage }) });
  await it.begin();
  expect(it.prompts).toHaveLength(1);
  expect(it.of("node.retried").map(({ attempt }) => attempt)).toEqual([2]);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
});
