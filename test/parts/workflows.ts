import { AgentError } from "../../src/ports/agent.ts";
import type { Props } from "./stage.ts";

/** A workflow and the fake world it runs in. */
export interface Performed {
  readonly source: string;
  readonly props: Props;
}

/**
 * Workflows of every shape that a resumed run must survive, each with a world whose answers depend only on the call.
 */
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
      // A careful agent does the same work whether or not it was interrupted before.
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
        const message = /Message from \S+:\n\w+/.exec(prompt)?.[0] ?? "nothing";
        return {
          text: `${node} ${iteration} heard ${message}`,
          sent: [{ to: "build", text: `hi${iteration}` }],
        };
      },
    },
  },
  "blocks that a walk leads to, with carried context, loops in loops, retries and a rescue": {
    source: `
workflow:
  name: t
  entry: plan
  transitions: [{ from: plan, to: outer }, { from: outer, to: sub }]
  conditional_transitions: [{ from: sub, completed: gate, error: rescue }]
souls: { s: { system_prompt: you are s } }
blocks:
  plan: { type: linear, soul_ref: s, retry_config: { max_attempts: 2 }, inputs: { how: { from: __retry__plan } } }
  work: { type: linear, soul_ref: s, stateful: true, inputs: { last: { from: shared_memory.notes } } }
  check: { type: linear, soul_ref: s, exit_conditions: [{ contains: AGAIN, exit_handle: again }, { contains: OUT, exit_handle: out }] }
  late: { type: gate, soul_ref: s, eval_key: work }
  inner: { type: loop, inner_block_refs: [work, check], max_rounds: 4, retry_on_exit: again, break_on_exit: out }
  outer:
    type: loop
    inner_block_refs: [inner, late]
    max_rounds: 3
    carry_context: { mode: all, inject_as: notes }
    break_condition: { eval_key: any, operator: starts_with, value: PASS }
  sub: { type: workflow, workflow_ref: child, on_error: catch, inputs: { it: { from: work } } }
  rescue: { type: linear, soul_ref: s, inputs: { why: { from: sub } }, depends: [] }
  gate: { type: gate, soul_ref: s, eval_key: sub }
`,
    props: {
      workflows: {
        child: `workflow: { name: c, entry: x }
souls: { s: { system_prompt: you are s } }
blocks: { x: { type: linear, soul_ref: s, inputs: { it: { from: inputs.it } } } }
`,
      },
      agent({ node, iteration = 0, prompt }) {
        const length = prompt.replace(/^Note: .*\n\n/, "").length;
        if (node === "late") return iteration === 2 ? "PASS" : "FAIL: late";
        if (node === "check") return iteration === 1 ? "AGAIN" : iteration === 3 ? "OUT" : "fine";
        if (node === "x") return new AgentError("auth", "no key");
        return `${node} ${iteration} ${length}`;
      },
    },
  },
};
