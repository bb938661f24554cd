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
};
