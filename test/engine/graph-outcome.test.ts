import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { eventBodies } from "../parts/event-bodies.ts";
import { type Props, type Stage, stage } from "../parts/stage.ts";

/** A script prints its name, but `fail` fails and `blank` prints a blank line. */
const shell: Props["shell"] = ({ script }) => (script === "fail" ? 1 : script === "blank" ? " \n" : script);

async function ended(source: string, props: Props = {}): Promise<Stage> {
  const it = stage(source, { shell, ...props } as Props);
  await it.begin();
  return it;
}

/** How a called workflow ends for its caller. */
async function called(child: string) {
  const it = await ended("name: t\nnodes: [{ id: sub, workflow: child }]\n", {
    workflows: { child: `name: child\n${child}` },
  });
  const { status, output, reason } = it.of("node.ended").at(-1) ?? {};
  return reason === undefined ? { status, output } : { status, output, reason };
}

const skipped = `bash: x, when: "1 == 2"`;

describe("a called workflow returns", () => {
  test.each([
    [
      "the first output that no other node reads",
      "{ id: a, bash: a }, { id: b, bash: b, depends_on: [a] }, { id: c, bash: c }",
      "b",
    ],
    ["no output of a node that was skipped", `{ id: a, ${skipped} }, { id: b, bash: b }`, "b"],
    ["no blank output if there is another one", "{ id: a, bash: blank }, { id: b, bash: b }", "b"],
    ["nothing if all outputs are blank", "{ id: a, bash: blank }", ""],
  ])("%s", async (_, nodes, output) => {
    expect(await called(`nodes: [${nodes}]\n`)).toEqual({ status: "completed", output });
  });

  test("its failure, although other nodes have completed", async () => {
    expect(await called("nodes: [{ id: a, bash: a }, { id: b, bash: fail }]\n")).toMatchObject({
      status: "failed",
    });
  });

  test("the output of the node that it names, or another one if that was skipped", async () => {
    const nodes = "{ id: b, bash: b, depends_on: [a] }, { id: c, bash: c }";
    expect(await called(`returns: a\nnodes: [{ id: a, bash: a }, ${nodes}]\n`)).toEqual({
      ...{ status: "completed", output: "a" },
    });
    const late = nodes.replace("depends_on: [a]", "depends_on: [a], trigger_rule: all_done");
    expect(await called(`returns: a\nnodes: [{ id: a, ${skipped} }, ${late}]\n`)).toEqual({
      ...{ status: "completed", output: "b" },
    });
    expect(await called("returns: a\nnodes: [{ id: a, bash: a }, { id: b, bash: fail }]\n")).toMatchObject({
      status: "failed",
    });
  });
});

test("a workflow fails if the step that provides its result did not run", async () => {
  const last = `{ name: last, run: y, needs: [first], if: "{{first}} == 'no'" }`;
  const it = await ended("name: w\nloops: [{ name: go, workflow: child, max_iterations: 1, until: x }]\n", {
    workflows: { child: `name: child\nsteps: [{ name: first, run: x }, ${last}]\n` },
  });
  expect(it.end()).toMatchObject({
    stop_reason: "node-failed",
    because: "there is no result: last, which provides it, did not run",
  });
});

test("a run whose nodes are all skipped says why, and its skipped call blocks no join", async () => {
  const none = await ended(`name: t\nnodes: [{ id: a, ${skipped} }]\n`);
  expect(none.end()).toMatchObject({
    ...{ conclusion: "skipped", output: "", because: "no node ran: their conditions were false" },
  });
  const source = `
name: t
nodes:
  - { id: sub, workflow: child }
  - { id: a, bash: a }
  - { id: join, bash: join, depends_on: [sub, a], trigger_rule: none_failed_min_one_success }
`;
  const it = await ended(source, { workflows: { child: `name: child\nnodes: [{ id: b, ${skipped} }]\n` } });
  expect(it.of("node.ended").map(({ node, status }) => `${node} ${status}`)).toEqual([
    "b skipped",
    "sub skipped",
    "a completed",
    "join completed",
  ]);
});

test.each([
  ["repeats", "prompt: fix, until: DONE, max_iterations: 2", "max-iterations"],
  ["works on a list", "for_each: [a], prompt: fix", "agent-error"],
])("a run's reason is that of a failed loop that %s, whatever failed before", async (...[, keys, reason]) => {
  const it = await ended(`name: t\nnodes: [{ id: early, bash: fail }, { id: fix, loop: { ${keys} } }]\n`, {
    agent: () => (reason === "agent-error" ? new AgentError("crash", "it broke") : "more"),
  });
  expect(it.end()?.stop_reason).toBe(reason);
});

describe("the steps of a loop", () => {
  const rounds = (steps: string) =>
    `name: t\nsteps:\n  - { id: rounds, loop: { maxIterations: 1, steps: [${steps}] } }\n  - { id: read, dependsOn: [rounds] }\n`;

  test("give the loop the output and the result of the last one that completed", async () => {
    const it = await ended(rounds("{ id: a }, { id: b, dependsOn: [a] }"), {
      agent: ({ node }) => (node === "read" ? "ok" : { text: `by ${node}`, result: { by: node } }),
    });
    expect(it.of("iteration.ended")[0]).toMatchObject({ output: "by b" });
    expect(it.of("node.ended").find(({ node }) => node === "rounds")).toMatchObject({
      ...{ output: "by b", result: { by: "b" } },
    });
  });

  test("keep that output if a later one fails, and have none if the first one does", async () => {
    const failing = async (bad: string) => {
      const it = await ended(rounds("{ id: a }, { id: b, dependsOn: [a] }"), {
        agent: ({ node }) => (node === bad ? new AgentError("crash", "it broke") : `by ${node}`),
      });
      return it.of("iteration.ended")[0]?.output;
    };
    expect(await failing("b")).toBe("by a");
    expect(await failing("a")).toBe("");
  });
});

describe("a failed step that stops a workflow", () => {
  const steps = (onFailure = "") => `
name: t
steps:
  - { name: first, run: first }
  - { name: bad, run: bad, needs: [first]${onFailure} }
  - { name: last, run: "{{first}} {{bad}}", needs: [bad] }
`;
  const agent: Props["agent"] = ({ node }) =>
    node === "bad" ? new AgentError("crash", "it broke") : `by ${node}`;

  test("is the reason for which later ones did not start", async () => {
    const it = await ended(`$schema: workflow/v2.0${steps()}`, { agent });
    expect(eventBodies(it.events).filter(({ type }) => type === "node.ended")).toEqual([
      {
        type: "node.ended",
        path: "/first",
        node: "first",
        label: "first",
        status: "completed",
        output: "by first",
      },
      {
        type: "node.ended",
        path: "/bad",
        node: "bad",
        label: "bad",
        status: "failed",
        output: "",
        reason: "it broke",
      },
      {
        ...{ type: "node.ended", path: "/last", node: "last", label: "last", status: "skipped", output: "" },
        reason: "bad failed, which stops the workflow",
      },
    ]);
  });

  test("counts as completed without output if the file says to continue; others keep their output", async () => {
    const lenient = steps(", on_failure: continue").replace(
      "run: first }",
      "run: first, on_failure: continue }",
    );
    const it = await ended(`$schema: workflow/v2.0${lenient}`, { agent });
    expect(it.prompts.at(-1)?.prompt).toBe("by first ");
    expect(it.of("node.ended").map(({ node, status }) => `${node} ${status}`)).toEqual([
      "first completed",
      "bad failed",
      "last completed",
    ]);
    expect(it.end()).toMatchObject({ conclusion: "success", output: "by last" });
  });
});

test("a workflow whose failed steps abort it succeeds if none fails", async () => {
  const it = await ended(
    "name: t\noptions: { onStepFailure: abort }\nsteps: [{ id: a }, { id: b, dependsOn: [a] }]\n",
  );
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(it.prompts).toHaveLength(2);
});

test("what a loop accumulates is read any number of nodes later, and not what a failed loop did", async () => {
  const source = `
name: t
nodes:
  - { id: first, loop: { prompt: first, until: DONE, max_iterations: 1, on_max: succeed, accumulate: history } }
  - { id: between, bash: between, depends_on: [first] }
  - { id: after, bash: after, depends_on: [between] }
  - { id: read, prompt: "read $history", depends_on: [after] }
`;
  const it = await ended(source);
  expect(it.prompts.at(-1)?.prompt).toBe("read did first");
});
