import { expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import type { Agent } from "../../src/ports/agent.ts";
import { resume, start } from "../../src/runner/run.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { planOf, runId, stage } from "../parts/stage.ts";

const source = "name: t\nnodes: [{ id: work, prompt: work }]\n";

test.each([
  { what: "a run that has not ended", cut: -2, asked: 1, ends: true },
  { what: "a run whose log lacks only its end", cut: -1, asked: 0, ends: true },
  { what: "a run that has ended", cut: undefined, asked: 1, ends: false },
])("$what: may it be resumed is asked $asked times", async ({ cut, asked, ends }) => {
  const whole = stage(source);
  await whole.begin();
  const { world } = stage(source, { log: (await whole.store.read(runId)).slice(0, cut) });
  let count = 0;
  const resuming = resume(runId, world, { assertResumable: () => void count++ });
  if (ends) expect((await resuming).ended).toBe(true);
  else await expect(resuming).rejects.toThrow("has ended");
  expect(count).toBe(asked);
});

test.each([
  { model: undefined, judge: "cheap" },
  { model: "opus", judge: undefined },
])("if no agent is named and the model is $model, $judge judges", async ({ model, judge }) => {
  const { facts, world, store } = stage(source);
  const plan = planOf(source);
  await start(
    { plan, facts: { ...facts, ...(model === undefined ? {} : { model }) } },
    { ...world, judge: () => ({ name: "cheap" }) as Agent },
  );
  const [first] = (await store.read(runId)).map(parseLogEvent);
  expect(first).toMatchObject({ facts: { default_agent: "pretended" } });
  expect((first as { facts?: { default_judge?: string } }).facts?.default_judge).toBe(judge);
});

test("a run that another process cancels ends once its agent has stopped", async () => {
  const store = memoryStore();
  let hasStopped = false;
  const { facts, world } = stage(source, { store });
  const agent: Agent = {
    name: "slow",
    async answer(_, { signal }) {
      const lines = await store.read(runId);
      const cancelled = {
        type: "run.cancelled",
        at: world.clock.now(),
        by: "ann",
        because: "cancelled by ann",
      };
      await store.append(runId, lines.length, [JSON.stringify(cancelled)]);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await new Promise((resolve) => setTimeout(resolve, 50));
      hasStopped = true;
      throw signal.reason;
    },
  };
  const session = await start({ plan: planOf(source), facts }, { ...world, agent: () => agent });
  expect(session.cancelled).toBe("cancelled by ann");
  expect(hasStopped).toBe(true);
});
