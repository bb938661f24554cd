import { AgentError } from "../../src/ports/agent.ts";
import type { Props } from "./stage.ts";

/** A workflow and the pretended world it runs in. */
export interface Performed {
  readonly source: string;
  readonly props: Props;
}

/** Workflows whose every shape a resumed run must survive, each with a world that answers by what is asked alone. */
export const workflows: Readonly<Record<string, Performed>> = {
  "a loop with a check and a snapshot": {
    source: `
name: t
nodes:
  - { id: setup, bash: setup }
  - id: fix
    depends_on: [setup]
    loop:
      prompt: "round $LOOP_ITERATION after $LOOP_PREV_OUTPUT with $setup.output: $LOOP_CHECK_OUTPUT"
      until: DONE
      until_bash: check $LOOP_OUTPUT
      max_iterations: 6
      protect: ["test/**"]
  - { id: report, prompt: "report $fix.output", depends_on: [fix] }
`,
    props: {
      // An agent that looks does the same work whether or not it was cut off before.
      agent: ({ iteration, prompt }) =>
        iteration === 4 ? "<promise>DONE</promise>" : `said ${prompt.replace(/^Note: .*\n\n/, "").length}`,
      shell: ({ role }) => (role === "check" ? { exitCode: 1, tail: "failing" } : "ready\n"),
      workspace: (request) =>
        request.op === "snapshot" ? { commit: request.message, tree: request.message } : {},
    },
  },
  "a gate between iterations and an approval": {
    source: `
name: t
interactive: true
nodes:
  - id: refine
    loop:
      prompt: "[$LOOP_USER_INPUT] [$LOOP_PREV_OUTPUT]"
      until: DONE
      max_iterations: 3
      interactive: true
      gate_message: look
  - { id: side, prompt: side }
  - { id: ok, approval: { message: sure }, depends_on: [refine, side] }
`,
    props: { agent: ({ iteration, node }) => (iteration === 3 ? "DONE" : `draft ${node} ${iteration}`) },
  },
  "items side by side, a body graph, a retry": {
    source: `
name: t
nodes:
  - { id: list, bash: list, retry: { max_attempts: 1, delay_ms: 1000 } }
  - id: each
    depends_on: [list]
    loop: { for_each: "$list.output", prompt: "do $LOOP_ITEM", max_concurrency: 2 }
  - id: cycle
    depends_on: [list]
    loop:
      max_iterations: 3
      until_expr: "output.contains('LGTM')"
      nodes:
        - { id: build, prompt: "build $LOOP_PREV.review.output" }
        - { id: review, prompt: "review $build.output", depends_on: [build] }
`,
    props: {
      agent: ({ node, iteration }) =>
        node === "review" && iteration === 3 ? "LGTM" : `${node} ${iteration}`,
      shell: () => '["a", "b", "c"]',
    },
  },
  "called workflows in a loop that forgets failures, in file order": {
    source: `
$schema: workflow/v2.0
name: t
steps:
  - { name: first, run: "{{input}}", on_failure: continue }
loops:
  - { name: refine, workflow: child, max_iterations: 4, until: done, on_failure: continue }
  - { name: each, workflow: child, mode: iterate, items: [a, b, c], parallel: true, max_iterations: 3,
      on_failure: retry, max_retries: 1, retry_delay: 1s, with: { it: "{{loop.item}}" } }
steps:
  - { name: last, run: "{{refine}} {{loop.iteration}} {{loop.history}}", needs: [refine], if: "{{refine}}" }
`,
    props: {
      workflows: {
        child: 'name: c\nexecution: {}\nsteps: [{ name: work, run: "{{loop.history}} {{input}}" }]',
      },
      agent: ({ role, node, iteration, prompt }) => {
        if (role === "evaluator") return iteration === 4 ? "YES" : "perhaps";
        if (iteration === 2 || node === "first") return new AgentError("auth", "no key");
        return `${node} ${iteration} ${prompt.replace(/^Note: .*\n\n/, "").length}`;
      },
    },
  },
  "steps with a judge, items, messages and a loop that is retried": {
    source: `
name: t
agents:
  judge: { description: d, resultSchema: { properties: { done: { type: boolean } }, required: [done] } }
steps:
  - { id: list }
  - id: each
    dependsOn: [list]
    loop: { forEach: "steps.list.result.items", maxConcurrency: 2, steps: [{ id: one }] }
  - id: cycle
    dependsOn: [list]
    retries: 1
    timeout: 1h
    loop:
      maxIterations: 3
      untilAgent: judge
      delay: 1s
      outputMode: cumulative
      steps: [{ id: build }, { id: review, dependsOn: [build] }]
  - { id: last, dependsOn: [each, cycle] }
`,
    props: {
      agent({ node, role, iteration, prompt }) {
        if (role === "judge") return { text: "", result: { done: iteration === 3 } };
        if (node === "list") return { text: "", result: { items: ["a", "b", "c"] } };
        const heard = /Message from \S+:\n\w+/.exec(prompt)?.[0] ?? "nothing";
        return {
          text: `${node} ${iteration} heard ${heard}`,
          sent: [{ to: "build", text: `hi${iteration}` }],
        };
      },
    },
  },
};
