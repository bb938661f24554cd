import { expect, test } from "vitest";
import { stage } from "../parts/stage.ts";

test("a call that would start after the run's time is up is not made, and ends the run as timeout", async () => {
  const source =
    "name: t\ntime_limit: 1m\nnodes: [{ id: a, prompt: a }, { id: b, prompt: b, depends_on: [a] }]\n";
  let now = Date.UTC(2026, 0, 1);
  const it = stage(source, {
    agent() {
      now += 60_000;
      return "ok";
    },
  });
  Object.assign(it.world.clock, { now: () => new Date(now).toISOString() });
  await it.begin();
  expect(it.prompts).toHaveLength(1);
  expect(it.of("node.ended").map(({ node, status }) => [node, status])).toEqual([
    ["a", "completed"],
    ["b", "failed"],
  ]);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "timeout" });
});

test("each call may take what is left of the run's minutes, and at least a moment", async () => {
  const source =
    "name: t\nbudget: { minutes: 1 }\nnodes: [{ id: fix, loop: { prompt: fix, until: DONE, max_iterations: 3 } }]\n";
  let now = Date.UTC(2026, 0, 1);
  const it = stage(source, {
    agent(_, call) {
      now += call === 1 ? 20_000 : 39_999.5;
      return "more";
    },
  });
  Object.assign(it.world.clock, { now: () => new Date(now).toISOString() });
  await it.begin();
  expect(it.prompts.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000, 40_000, 1]);
});
