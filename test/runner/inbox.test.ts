import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AgentContext, AgentMessage } from "../../src/ports/agent.ts";
import { appendDecision } from "../../src/runner/append-decision.ts";
import { runId, stage } from "../parts/stage.ts";

/** The first letters that come while an agent works. */
async function firstLetters({ inbox }: AgentContext): Promise<readonly AgentMessage[]> {
  for (;;) {
    const letters = inbox?.() ?? [];
    if (letters.length > 0) return letters;
    await turn();
  }
}

test("a running agent receives what another step sends it meanwhile", { timeout: 10_000 }, async () => {
  const received: (readonly AgentMessage[])[] = [];
  const it = stage("name: t\nsteps: [{ id: a }, { id: b }, { id: c }]\n", {
    async agent({ node }, _, context) {
      if (node === "a") return { text: "ok", sent: [{ to: "b", text: "look at x" }] };
      if (node === "b") received.push(await firstLetters(context));
      return "ok";
    },
  });
  await it.begin();
  expect(received).toEqual([[{ from: "a", text: "look at x" }]]);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("and what a person sends it from another process", { timeout: 10_000 }, async () => {
  const it = stage(
    "name: t\nsteps: [{ id: rounds, loop: { maxIterations: 1, steps: [{ id: worker }] } }]\n",
    {
      async agent(_, __, context) {
        const at = it.world.clock.now();
        const message = {
          type: "run.messaged",
          at,
          to: "rounds.0.worker",
          from: "ann",
          text: "hurry",
        } as const;
        await appendDecision({ store: it.store }, runId, () => ({ record: message }));
        const [letter] = await firstLetters(context);
        return `${letter?.from}: ${letter?.text}`;
      },
    },
  );
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", output: "ann: hurry" });
});

test("a judge receives nothing: the messages are for workers", async () => {
  const it = stage(
    "name: t\nnodes: [{ id: a, loop: { prompt: p, until_agent: claude, max_iterations: 2 } }]\n",
    {
      agent({ role }, _, { inbox }) {
        if (role === "worker") return { text: "ok", sent: [{ to: "a", text: "to myself" }] };
        return { result: { done: (inbox?.() ?? []).length === 0 } };
      },
    },
  );
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
});
