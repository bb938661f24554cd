import { AgentError } from "../../../src/ports/agent.ts";
import type { Scenario } from "./scenario.ts";

/** Runs with the effects that few workflows have. */
export const effectScenarios: Readonly<Record<string, Scenario>> = {
  "attempts-with-a-judge": {
    source: `
name: t
nodes:
  - id: fix
    loop:
      prompt: fix
      until_bash: npm test
      max_iterations: 2
      keep: best
      metric: count
      direction: min
      attempts: { count: 2, pick: [judge] }
`,
    props: {
      agent: ({ role }) => (role === "judge" ? '{"best": 2, "reason": "it is shorter"}' : "did it"),
      shell: ({ role }) => (role === "metric" ? "3" : 0),
      workspace(request) {
        if (request.op === "fork")
          return { path: `/forks/${request.name}`, commit: `base of ${request.name}` };
        if (request.op === "snapshot") return { commit: request.message, tree: request.message };
        if (request.op === "diff") return { patch: `+by ${request.to}` };
        if (request.op !== "close") return {};
        const diff = { files: 1, added: 1, removed: 0, paths: ["a.js"] };
        return { commit: `end of ${request.name}`, tree: request.name, diff };
      },
    },
    act: (it) => it.begin(),
  },
  "verified-checks": {
    source: `
name: t
agents: { reviewer: { agent: "command:review" } }
nodes:
  - id: fix
    loop:
      prompt: "fix $LOOP_CHECK_OUTPUT"
      until_bash: npm test
      until_agent: reviewer
      until_mode: all
      max_iterations: 3
      review: true
      check: { baseline: true, confirm: 2 }
`,
    props: {
      agent: ({ role, iteration }) =>
        role === "judge" ? `{"done": true, "honest": ${iteration === 2}, "reason": "so"}` : "did it",
      shell({ clean }, call) {
        const tests = (failed: number) => ({ runner: "t", passed: 2 - failed, failed, skipped: 0 });
        const red = { exitCode: 1, tail: "1 failing", tests: tests(1) };
        if (clean === undefined) return call === 1 ? red : { exitCode: 0, tests: tests(0) };
        if (clean.commit === "before the first iteration") return { ...red, clean: {} };
        // The manifest that the work adds does not install the tests' own tools.
        return clean.setup === undefined
          ? { exitCode: 1, tail: "no pytest", clean: { setup: "pip install" } }
          : { exitCode: 0, tests: tests(0), clean: {} };
      },
      workspace: (request) =>
        request.op === "snapshot" ? { commit: request.message, tree: request.message } : {},
    },
    act: (it) => it.begin(),
  },
  "items-in-a-file": {
    source: `
$schema: workflow/v2.0
name: t
steps:
  - { name: list, run: list }
loops:
  - { name: each, workflow: child, needs: [list], mode: iterate, items: "file://items.txt", max_iterations: 3,
      on_failure: retry, max_retries: 1, retry_delay: 1s, with: { it: "{{loop.item}}" } }
`,
    props: {
      workflows: { child: 'name: c\nexecution: {}\nsteps: [{ name: work, run: "{{it}}" }]' },
      file: () => ({ text: "a\nb\n" }),
      agent: (_, call) => (call === 3 ? new AgentError("crash", "it fell over") : `said ${call}`),
    },
    act: (it) => it.begin(),
  },
  "items-after-a-delay": {
    source: `
name: t
nodes:
  - id: each
    loop: { for_each: [a, b], delay: 2s, on_error: retry, retries: 1, retry_delay: 1s, prompt: "do $LOOP_ITEM" }
`,
    props: {
      agent: (_, call) => (call === 2 ? new AgentError("crash", "it fell over") : `said ${call}`),
    },
    act: (it) => it.begin(),
  },
  "an-answer-asked-for-again": {
    source: `
name: t
nodes:
  - { id: sort, prompt: sort, output_format: { type: object, required: [kind], properties: { kind: { type: string } } } }
  - { id: act, bash: "echo $sort.output.kind", depends_on: [sort] }
`,
    props: { agent: (_, call) => (call < 3 ? "a bug" : '{"kind": "bug"}') },
    act: (it) => it.begin(),
  },
  "messages-to-a-coordinator": {
    source: `
name: t
agents: { coordinator: { description: forwards } }
steps:
  - id: rounds
    loop: { maxIterations: 2, steps: [{ id: worker }] }
`,
    props: {
      agent: ({ node }) =>
        node === "coordinator"
          ? { text: "noted", sent: [{ to: "worker", text: "mind the tests" }] }
          : { text: "ok", sent: [{ to: "coordinator", text: "half is done" }] },
    },
    act: (it) => it.begin(),
  },
  "retries-after-a-delay": {
    source: `
name: t
nodes:
  - id: fix
    loop: { prompt: fix, until: DONE, max_iterations: 2, on_error: retry, retries: 2, retry_delay: 3s }
`,
    props: { agent: (_, call) => (call < 3 ? new AgentError("crash", "it fell over") : "DONE") },
    act: (it) => it.begin(),
  },
};
