import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/adapters/stores/memory.ts";
import { readEvent } from "../../src/engine/event.ts";
import { AgentError } from "../../src/ports/agent.ts";
import { type Props, runId, type Stage, stage } from "../parts/stage.ts";

/** Workflows whose every shape a resumed run must survive, each with a world that answers by what is asked alone. */
const workflows: Readonly<Record<string, { readonly source: string; readonly props: Props }>> = {
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

async function toTheEnd(it: Stage, first: "begin" | "resume") {
  let session = await it[first]();
  for (let round = 0; !session.ended && round < 10; round++)
    session = await it.decide("approve", `feedback ${round}`);
  return session;
}

async function straight({ source, props }: { readonly source: string; readonly props: Props }) {
  const it = stage(source, props);
  await toTheEnd(it, "begin");
  return { end: it.end(), lines: await it.store.read(runId), told: it.told };
}

const asked = (lines: readonly string[]) =>
  lines.map(readEvent).flatMap((event) => (event.type === "need.met" ? [event.path] : []));

test.each(Object.entries(workflows))(
  "%s: cut off after any event, it ends the same and asks nothing twice",
  async (_, workflow) => {
    const whole = await straight(workflow);
    expect(whole.end?.conclusion).toBe("success");
    // The last line only says that the run has ended.
    const last = whole.lines.length - 2;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: last }), async (cut) => {
        const kept = whole.lines.slice(0, cut);
        const it = stage(workflow.source, { ...workflow.props, log: kept });
        // Feedback is numbered; go on where the kept log stops.
        const decided = kept.filter((line) => readEvent(line).type === "run.decided").length;
        let session = await it.resume();
        for (let round = decided; !session.ended; round++)
          session = await it.decide("approve", `feedback ${round}`);
        const { results, output, conclusion, stop_reason, iterations } = whole.end ?? {};
        expect(it.end()).toMatchObject({ results, output, conclusion, stop_reason, iterations });
        const paths = asked(await it.store.read(runId));
        expect(new Set(paths).size).toBe(paths.length);
        expect(paths.toSorted()).toEqual(asked(whole.lines).toSorted());
      }),
      { numRuns: 60, examples: [[1], [2], [last]] },
    );
  },
);

test.each(Object.entries(workflows))(
  "%s: each start has exactly one end, over all the stretches of a run",
  async (_, workflow) => {
    const whole = await straight(workflow);
    const open = new Set<string>();
    // What is told again after a failure keeps its address: it may start again once it has ended.
    for (const event of whole.told) {
      const key = `${event.type.split(".")[0]} ${"path" in event ? event.path : ""}`;
      if (event.type.endsWith(".started")) expect(open).not.toContain(key);
      if (event.type.endsWith(".started")) open.add(key);
      if (event.type.endsWith(".ended")) expect(open.delete(key), key).toBe(true);
    }
    expect([...open]).toEqual([]);
    expect(whole.told.map(({ seq }) => seq)).toEqual(whole.told.map((_, index) => index + 1));
  },
);

test("the need in flight at a kill is begun again, says so, and its agent is told", async () => {
  const { source, props } = workflows["a loop with a check and a snapshot"] as NonNullable<
    (typeof workflows)[string]
  >;
  const { lines } = await straight({ source, props });
  const cut = lines.findIndex((line) => line.includes('"need.begun"') && line.includes('"/fix#2"')) + 1;
  const it = stage(source, { ...props, log: lines.slice(0, cut) });
  await it.resume();
  expect(it.told[0]).toMatchObject({ type: "run.resumed" });
  expect(it.of("notice")).toMatchObject([{ code: "BEGUN_AGAIN", path: "/fix#2" }]);
  expect(it.prompts[0]?.prompt).toMatch(/^Note: an earlier attempt .*\n\nround 2/);
});

test("a log of a newer version, a diverged log and an empty one are refused with a sentence", async () => {
  const { source, props } = workflows["a gate between iterations and an approval"] as NonNullable<
    (typeof workflows)[string]
  >;
  const { lines } = await straight({ source, props });
  const first = JSON.parse(lines[0] ?? "");
  const newer = stage(source, { log: [JSON.stringify({ ...first, v: 2 })] });
  await expect(newer.resume()).rejects.toThrow(/newer until-green/);
  const diverged = stage(source, {
    log: [lines[0] ?? "", JSON.stringify({ type: "need.begun", at: "x", path: "/nowhere" })],
  });
  await expect(diverged.resume()).rejects.toThrow(/\/nowhere/);
  await expect(stage(source, { store: memoryStore() }).resume()).rejects.toThrow(/there is no run/);
});
