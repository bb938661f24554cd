import { expect, test } from "vitest";
import { readEvent } from "../../src/engine/event.ts";
import { AgentError, type Usage } from "../../src/ports/agent.ts";
import { runId, stage } from "../parts/stage.ts";

const loop = `
name: t
budget: { tokens: 1000 }
nodes:
  - id: fix
    loop: { prompt: fix, until: DONE, max_iterations: 4, on_max: succeed, on_error: continue }
`;

const taking = (count: unknown): Usage =>
  ({ input_tokens: count, output_tokens: 10, cost_usd: count }) as Usage;

test.each([Number.NaN, -500, "many", undefined])(
  "a count of %s is none: the run goes on, and its log can be read",
  async (count) => {
    const it = stage(loop, { agent: () => ({ text: "hm", usage: taking(count) }) });
    await it.begin();
    expect(it.end()).toMatchObject({
      conclusion: "success",
      usage: { input_tokens: 0, output_tokens: 40, cost_usd: 0 },
    });
    expect((await it.store.read(runId)).map(readEvent)).not.toHaveLength(0);
  },
);

test("one without end uses the budget up, also of a call that failed", async () => {
  const usage = taking(Number.POSITIVE_INFINITY);
  for (const said of [{ text: "hm", usage }, new AgentError("crash", "oops", { usage })]) {
    const it = stage(loop, { agent: () => said });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "budget" });
    expect(it.prompts).toHaveLength(1);
    expect((await it.store.read(runId)).map(readEvent)).not.toHaveLength(0);
  }
});
