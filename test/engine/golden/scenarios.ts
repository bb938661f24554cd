import { AgentError } from "../../../src/ports/agent.ts";
import { appendDecision } from "../../../src/runner/append-decision.ts";
import { runId, type Stage } from "../../parts/stage.ts";
import { type Performed, workflows } from "../../parts/workflows.ts";
import { effectScenarios } from "./effect-scenarios.ts";
import type { Scenario } from "./scenario.ts";

const named = (name: string): Performed => {
  const found = workflows[name];
  if (found === undefined) throw new Error(`there is no workflow ${name}`);
  return found;
};

async function approveToTheEnd(it: Stage) {
  let session = await it.begin();
  for (let round = 1; !session.ended && round < 10; round++)
    session = await it.decide("approve", `feedback ${round}`);
}

/** The runs whose logs are kept, by the name of the file. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  ...effectScenarios,
  "loop-with-check": { ...named("a loop with a check and a snapshot"), act: (it) => it.begin() },
  gates: { ...named("a gate between iterations and an approval"), act: approveToTheEnd },
  "items-and-body": { ...named("items side by side, a body graph, a retry"), act: (it) => it.begin() },
  "blocks-in-a-walk": {
    ...named("blocks that a walk leads to, with carried context, loops in loops, retries and a rescue"),
    act: (it) => it.begin(),
  },
  "waiting-at-a-gate": {
    ...named("a gate between iterations and an approval"),
    act: (it) => it.begin(),
  },
  rejected: {
    ...named("a gate between iterations and an approval"),
    act: async (it) => {
      await it.begin();
      await it.decide("reject", "not this way");
    },
  },
  "approval-with-rework": {
    source: `
name: t
interactive: true
nodes:
  - { id: write, prompt: write }
  - id: ok
    depends_on: [write]
    approval:
      message: "good? $write.output"
      capture_response: true
      on_reject: { prompt: "again: $REJECTION_REASON", max_attempts: 2 }
  - { id: publish, bash: "echo $ok.output", depends_on: [ok] }
`,
    props: { agent: ({ prompt }) => `did ${prompt}` },
    act: async (it) => {
      await it.begin();
      await it.decide("reject", "shorter");
      await it.decide("approve", "fine");
    },
  },
  cancelled: {
    ...named("a gate between iterations and an approval"),
    act: async (it) => {
      await it.begin();
      const at = it.world.clock.now();
      const record = { type: "run.cancelled", at, by: "ann", because: "cancelled by ann" } as const;
      await appendDecision(it, runId, () => ({ record }));
    },
  },
  "cancel-node": {
    source: `
name: t
nodes:
  - { id: look, bash: look }
  - { id: stop, cancel: "nothing for us: $look.output", depends_on: [look], when: "$look.output == 'none'" }
  - { id: work, prompt: work, depends_on: [stop] }
`,
    props: { shell: () => "none\n" },
    act: (it) => it.begin(),
  },
  worktrees: {
    source: `
name: t
nodes:
  - id: each
    loop:
      for_each: ["a", "b", "c"]
      max_concurrency: 2
      isolation: worktree
      on_error: continue
      prompt: "change $LOOP_ITEM"
`,
    props: {
      workspace(request) {
        if (request.op === "fork")
          return { path: `/forks/${request.name}`, commit: `base of ${request.name}` };
        if (request.op === "join" && request.name === "each-2") return { conflicts: ["src/a.js"] };
        return {};
      },
    },
    act: (it) => it.begin(),
  },
  retries: {
    source: `
name: t
nodes:
  - { id: list, bash: list, retry: { max_attempts: 2, delay_ms: 1000 } }
  - id: fix
    depends_on: [list]
    loop: { prompt: "fix $LOOP_ITERATION", until: DONE, max_iterations: 3, on_error: retry, retries: 2, delay: 1s }
`,
    props: {
      shell: (_, call) => (call < 3 ? 1 : "ready"),
      agent(_, call) {
        if (call === 1) return new AgentError("rate-limit", "too many requests", { retryAfterMs: 5 });
        if (call === 2) return new AgentError("crash", "it fell over", { tag: "fell" });
        return call === 4 ? "DONE" : `said ${call}`;
      },
    },
    act: (it) => it.begin(),
  },
  budget: {
    source: `
name: t
budget: { usd: 1 }
nodes:
  - id: fix
    loop: { prompt: fix, until: DONE, max_iterations: 9 }
`,
    props: {
      agent: () => ({ text: "more", usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.4 } }),
    },
    act: (it) => it.begin(),
  },
  "judged-and-kept-best": {
    source: `
name: t
agents: { reviewer: { agent: "command:review" } }
nodes:
  - id: fix
    loop:
      prompt: "fix $LOOP_CHECK_OUTPUT"
      until_agent: reviewer
      max_iterations: 3
      keep: best
      metric: count
      direction: min
`,
    props: {
      agent: ({ role, iteration }) =>
        role === "judge" ? { text: '{"done":false,"reason":"not yet"}' } : `draft ${iteration}`,
      shell: (_, call) => String([3, 1, 2][call - 1]),
      workspace: (request) =>
        request.op === "snapshot" ? { commit: request.message, tree: request.message } : {},
    },
    act: (it) => it.begin(),
  },
  steps: {
    ...named("steps with a judge, items, messages and a loop that is retried"),
    act: (it) => it.begin(),
  },
  "called-workflows": {
    ...named("called workflows in a loop that forgets failures, in file order"),
    act: (it) => it.begin(),
  },
  "steps-with-conditions": {
    source: `
name: t
options: { onStepFailure: skip-dependents }
steps:
  - { id: a }
  - { id: maybe, dependsOn: [a], condition: "steps.a.content == 'no'" }
  - { id: after, dependsOn: [maybe] }
  - { id: each, dependsOn: [after], loop: { forEach: ["x", "y"], steps: [{ id: one, condition: "index == 1" }, { id: two, dependsOn: [one] }] } }
  - { id: talk, dependsOn: [each], loop: { maxIterations: 2, outputMode: cumulative, steps: [{ id: b }, { id: c, dependsOn: [b] }] } }
  - { id: last, dependsOn: [talk] }
`,
    props: { agent: ({ node, iteration }) => `${node} ${iteration ?? 0}` },
    act: (it) => it.begin(),
  },
};
