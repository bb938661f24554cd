import { describe, expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { AgentError } from "../../src/ports/agent.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { planOf, runId, stage } from "../parts/stage.ts";

const once = "name: t\nnodes: [{ id: work, prompt: work }]\n";
const minute = 60_000;

/** A stage on which an agent fails so often before it answers. */
function failing(times: number, fault: "rate-limit" | "overloaded" | "network", retryAfterMs?: number) {
  let left = times;
  return stage(once, {
    store: memoryStore(),
    async agent() {
      left -= 1;
      if (left >= 0) throw new AgentError(fault, "busy", retryAfterMs === undefined ? {} : { retryAfterMs });
      return { text: "done" };
    },
  });
}

const paused = async (it: ReturnType<typeof stage>) =>
  (await it.store.read(runId)).map((line) => parseLogEvent(line)).find(({ type }) => type === "run.paused");

test("an outage of 20 minutes is waited out, and nothing is done twice", async () => {
  const it = failing(24, "overloaded");
  const session = await it.begin();
  expect(session.ended).toBe(true);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("an outage that outlasts patience pauses the run until later, and it continues from there", async () => {
  const it = failing(60, "overloaded");
  const session = await it.begin();
  expect(session.paused).toBe(true);
  expect(await paused(it)).toMatchObject({
    stop_reason: "outage",
    wake_at: expect.stringMatching(/^20.*Z$/),
  });
  const reasons = it.of("node.retried").map(({ reason }) => reason);
  expect(reasons.at(-1)).toMatch(/^busy; pausing until 20.*Z$/);
  expect(reasons.slice(0, -1).filter((reason) => !/; trying again in \d+ s, until 20/.test(reason))).toEqual(
    [],
  );
  const resumed = await it.resume();
  expect(resumed.ended).toBe(true);
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(it.prompts.at(-1)?.prompt).not.toContain("cut off");
});

test("a limit that lasts longer than patience pauses the run at once, until the provider takes requests again", async () => {
  const it = failing(1, "rate-limit", 60 * minute);
  // It does not wait to be woken by a poll.
  Object.assign(it.world.clock, { every: () => () => undefined });
  const before = Date.parse(it.world.clock.now());
  await it.begin();
  const pause = await paused(it);
  expect(pause).toMatchObject({ stop_reason: "rate-limit" });
  expect(it.prompts).toHaveLength(1);
  const wakeAt = pause?.type === "run.paused" ? Date.parse(pause.wake_at ?? "") : Number.NaN;
  expect(wakeAt - before).toBeGreaterThanOrEqual(60 * minute);
  expect(wakeAt - Date.parse(it.world.clock.now())).toBeGreaterThan(59 * minute);
  expect((await it.resume()).ended).toBe(true);
});

test("who runs a workflow may set another patience, whatever its file says", async () => {
  for (const [limits, file, calls] of [
    [{ patienceMs: 500 }, "", 1],
    [{ patienceMs: 500 }, "patience: 90m\n", 1],
    [{}, "patience: 500ms\n", 1],
    [{}, "patience: 90m\n", 61],
  ] as const) {
    const it = stage(`${file}${once}`, {
      agent: (_, call) => (call > 60 ? "done" : new AgentError("overloaded", "busy")),
    });
    await it.begin(limits);
    expect(it.prompts, `${file}`).toHaveLength(calls);
  }
});

test("an endpoint that says to come back at once is asked ever more seldom all the same", async () => {
  const it = failing(100, "rate-limit", 0);
  const session = await it.begin();
  expect(session.paused).toBe(true);
  expect(it.prompts.length).toBeLessThan(60);
  const pause = await paused(it);
  const wakeAt = pause?.type === "run.paused" ? Date.parse(pause.wake_at ?? "") : Number.NaN;
  expect(wakeAt - Date.parse(it.world.clock.now())).toBeGreaterThan(14 * minute);
});

test.each([
  [40, 70],
  [70, 40],
])(
  "of two calls that wait for a provider for %i and %i minutes, the first that is due wakes the run",
  async (a, b) => {
    const waits: Readonly<Record<string, number>> = { a, b };
    const two = "name: t\nnodes: [{ id: a, prompt: a }, { id: b, prompt: b }, { id: c, prompt: c }]\n";
    let now = 0;
    const it = stage(two, {
      async agent({ node }) {
        const minutes = waits[node];
        if (minutes === undefined) {
          // The others have been postponed by then.
          await new Promise((resolve) => setTimeout(resolve, 20));
          return "done";
        }
        throw new AgentError("rate-limit", "busy", { retryAfterMs: minutes * minute });
      },
    });
    now = Date.parse(it.world.clock.now());
    expect((await it.begin()).paused).toBe(true);
    const pause = await paused(it);
    expect(pause).toMatchObject({ stop_reason: "rate-limit" });
    const wakeAt = pause?.type === "run.paused" ? Date.parse(pause.wake_at ?? "") : Number.NaN;
    expect(wakeAt - now).toBeGreaterThanOrEqual(40 * minute);
    expect(wakeAt - now).toBeLessThan(41 * minute);
    // What went on meanwhile was waited for.
    expect(it.of("agent.answered").map(({ path }) => path)).toEqual(["/c"]);
  },
);

test("a provider that asks for years of patience is asked again after a day", async () => {
  const it = failing(1, "rate-limit", 1e19);
  const before = Date.parse(it.world.clock.now());
  expect((await it.begin()).paused).toBe(true);
  const pause = await paused(it);
  const wakeAt = pause?.type === "run.paused" ? Date.parse(pause.wake_at ?? "") : Number.NaN;
  expect(wakeAt - before).toBeLessThan(25 * 60 * minute);
});

test("a limit within patience is waited for as long as the provider says, which is shown", async () => {
  const it = failing(1, "rate-limit", 5 * minute);
  const before = Date.parse(it.world.clock.now());
  expect((await it.begin()).ended).toBe(true);
  expect(Date.parse(it.world.clock.now()) - before).toBeGreaterThanOrEqual(5 * minute);
  const [retried] = it.events.filter(({ type }) => type === "node.retried");
  expect(retried).toMatchObject({ reason: expect.stringMatching(/busy; trying again in 300 s, until 20/) });
});

describe("a fallback", () => {
  const loop = (more: string) =>
    `name: t\nagent: claude\nmodel: opus\n${more}\nnodes: [{ id: work, loop: { prompt: go, until: DONE, max_iterations: 2 } }]\n`;
  /** The provider of claude fails so often in each call; any other agent or model answers. */
  const out = (more: string, of: Partial<Parameters<typeof stage>[1]> = {}) => {
    let fails = 0;
    return stage(loop(more), {
      async agent({ agent, model }, count) {
        if (agent === "claude" && model === "opus" && ++fails <= 60)
          throw new AgentError("overloaded", "busy");
        return { text: count > 6 ? "DONE" : "more", session: `of-${agent}` };
      },
      ...of,
    });
  };
  const asked = (it: ReturnType<typeof stage>) =>
    it.prompts.map(({ agent, model, session }) => [agent, model, session].filter(Boolean).join(" "));

  test("agent answers after so many faults, and its conversation is its own", async () => {
    const it = out("fallback_agent: codex\nfallback_model: gpt");
    expect((await it.begin()).ended).toBe(true);
    const round = ["claude opus", "claude opus", "claude opus", "codex gpt"];
    expect(asked(it)).toEqual([...round, ...round]);
    expect(it.of("node.retried").map(({ reason }) => reason)[2]).toBe("busy; asking codex · gpt instead");
    expect(it.end()).toMatchObject({ conclusion: "success" });
  });

  test("is not asked if the agent answers", async () => {
    const it = out("fallback_agent: codex\nfallback_after: 1", { agent: () => "DONE" });
    expect((await it.begin()).ended).toBe(true);
    expect(asked(it)).toEqual(["claude opus"]);
    expect(it.of("node.retried")).toEqual([]);
  });

  test("model keeps the agent and its conversation", async () => {
    const it = out("fallback_model: sonnet\nfallback_after: 1");
    await it.begin();
    expect(asked(it)).toEqual([
      "claude opus",
      "claude sonnet",
      "claude opus of-claude",
      "claude sonnet of-claude",
    ]);
    expect(it.of("node.retried").map(({ reason }) => reason)[0]).toBe("busy; asking sonnet instead");
  });

  test("answers at once where the provider asks for a longer wait than patience", async () => {
    const it = stage(loop("fallback_agent: codex"), {
      async agent({ agent }) {
        if (agent === "claude") throw new AgentError("rate-limit", "busy", { retryAfterMs: 60 * minute });
        return { text: "DONE" };
      },
    });
    expect((await it.begin()).ended).toBe(true);
    expect(it.prompts.map(({ agent }) => agent)).toEqual(["claude", "codex"]);
  });

  test("that cannot be asked leaves the call to its own agent, and does not replace one chosen for the run", async () => {
    const it = stage(loop("fallback_agent: codex\nfallback_after: 1"), {
      async agent({ agent }, count) {
        if (agent === "codex") throw new AgentError("missing", "codex is not installed");
        if (count < 5) throw new AgentError("overloaded", "busy");
        return { text: "DONE" };
      },
    });
    await it.begin();
    expect(asked(it).map((one) => one.split(" ")[0])).toEqual([
      "claude",
      "codex",
      "claude",
      "claude",
      "claude",
    ]);
    expect(it.end()).toMatchObject({ conclusion: "success" });
    const chosen = out("fallback_agent: codex", { facts: { agent: "claude", model: "opus" } });
    expect((await chosen.begin()).paused).toBe(true);
    expect(new Set(asked(chosen))).toEqual(new Set(["claude opus"]));
  });

  test.each([
    ["fallback_agent: codx", "There is no agent `codx`."],
    ["fallback_after: 2", "`fallback_after` needs a `fallback_agent`, a `fallback_model`, or both."],
  ])("like %s is refused", (more, why) => {
    expect(() => planOf(loop(more))).toThrow(why);
  });
});
