import { expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { stage } from "../parts/stage.ts";

const workflow = (...nodes: readonly string[]) =>
  `name: w\nnodes:\n${nodes.map((it) => `  - ${it}\n`).join("")}`;

/** The session each node was asked to continue, by node; every answer has one of its own. */
async function sessionsOf(source: string): Promise<Readonly<Record<string, string | undefined>>> {
  const it = stage(source, {
    agent: ({ node, session }) => ({ text: `${node} is done`, session: session ?? `of-${node}` }),
  });
  await it.begin();
  return Object.fromEntries(it.prompts.map(({ node, session }) => [node, session]));
}

test("in a chain each agent node continues the conversation of the one before, over scripts too", async () => {
  const sessions = await sessionsOf(
    workflow(
      "{ id: plan, prompt: p }",
      "{ id: check, bash: 'true', depends_on: [plan] }",
      "{ id: build, prompt: p, depends_on: [check] }",
      "{ id: review, prompt: p, context: fresh, depends_on: [build] }",
      "{ id: fix, prompt: p, context: shared, depends_on: [review] }",
    ),
  );
  expect(sessions).toEqual({ plan: undefined, build: "of-plan", review: undefined, fix: "of-review" });
});

test("parallel nodes each start a conversation, and so does the one that joins them", async () => {
  const sessions = await sessionsOf(
    workflow(
      "{ id: plan, prompt: p }",
      "{ id: one, prompt: p, depends_on: [plan] }",
      "{ id: two, prompt: p, depends_on: [plan] }",
      "{ id: join, prompt: p, depends_on: [one, two] }",
      "{ id: last, prompt: p, depends_on: [join] }",
    ),
  );
  expect(sessions).toEqual({
    plan: undefined,
    one: undefined,
    two: undefined,
    join: undefined,
    last: "of-join",
  });
});

test("a loop begins its own conversation and hands none on", async () => {
  const sessions = await sessionsOf(
    workflow(
      "{ id: plan, prompt: p }",
      "{ id: turn, depends_on: [plan], loop: { prompt: p, until: done, max_iterations: 1, on_max: succeed } }",
      "{ id: last, prompt: p, depends_on: [turn] }",
    ),
  );
  expect(sessions).toEqual({ plan: undefined, turn: undefined, last: "of-plan" });
});

test("a node that was skipped hands on the conversation before it", async () => {
  const sessions = await sessionsOf(
    workflow(
      "{ id: plan, prompt: p }",
      `{ id: maybe, prompt: p, depends_on: [plan], when: "$plan.output == 'never'" }`,
      "{ id: last, prompt: p, depends_on: [maybe], trigger_rule: all_done }",
    ),
  );
  expect(sessions).toEqual({ plan: undefined, last: "of-plan" });
});

test("another agent starts a new conversation, with the answer of the one before it", async () => {
  const it = stage(
    workflow(
      "{ id: plan, prompt: p, agent: claude }",
      "{ id: build, prompt: Build it., agent: codex, depends_on: [plan] }",
    ),
    { agent: ({ node }) => ({ text: `${node} is done`, session: `of-${node}` }) },
  );
  await it.begin();
  const [, build] = it.prompts;
  expect(build?.session).toBeUndefined();
  expect(build?.prompt).toBe("## Before you, claude answered to `plan`\nplan is done\n\nBuild it.");
});

test("the conversation survives a pause: it is read from the log", async () => {
  const it = stage(
    `interactive: true\n${workflow(
      "{ id: plan, prompt: p }",
      "{ id: ok, approval: { message: Good? }, depends_on: [plan] }",
      "{ id: build, prompt: p, depends_on: [ok] }",
    )}`,
    { agent: ({ node }) => ({ text: "done", session: `of-${node}` }) },
  );
  await it.begin();
  await it.decide("approve");
  expect(it.prompts.at(-1)).toMatchObject({ node: "build", session: "of-plan" });
});

const asked = (fields: string) =>
  workflow(
    `{ id: a, prompt: Classify., output_format: { type: object, required: [kind], properties: { kind: { type: string } } }${fields} }`,
    "{ id: b, bash: 'echo $a.output.kind', depends_on: [a] }",
  );

test("an answer in prose is asked for again in its conversation, and then fails its own node", async () => {
  const it = stage(asked(""), { agent: () => ({ text: "It is a bug.", session: "s" }) });
  await it.begin();
  expect(it.prompts).toHaveLength(3);
  expect(it.prompts[1]).toMatchObject({ session: "s" });
  expect(it.prompts[1]?.prompt).toContain("the result is not of type object");
  const ended = it.of("node.ended").map(({ node, status }) => `${node} ${status}`);
  expect(ended).toEqual(["a failed", "b skipped"]);
});

test("an answer that keeps the form when it is asked for again is the node's", async () => {
  const it = stage(asked(""), {
    agent: (_, call) => ({ text: call === 1 ? "It is a bug." : '{"kind": "bug"}' }),
    shell: ({ env }) => Object.values(env).join(),
  });
  await it.begin();
  expect(it.prompts).toHaveLength(2);
  expect(it.of("node.ended")[0]).toMatchObject({ node: "a", status: "completed", result: { kind: "bug" } });
});

test("output_required: false lets prose pass", async () => {
  const it = stage(asked(", output_required: false").split("\n  - { id: b")[0] ?? "", {
    agent: () => "prose",
  });
  await it.begin();
  expect(it.prompts).toHaveLength(1);
  expect(it.end()).toMatchObject({ conclusion: "success" });
});

test("an agent that fails is not asked again for its form", async () => {
  const it = stage(asked(""), { agent: () => new AgentError("auth", "no key") });
  await it.begin();
  expect(it.prompts).toHaveLength(1);
});

test("a field that an open form does not declare fails its reader if the answer lacks it", async () => {
  const it = stage(
    workflow(
      "{ id: a, prompt: p, output_format: { type: object, properties: { kind: { type: string } }, additionalProperties: true } }",
      "{ id: b, bash: 'echo $a.output.other', depends_on: [a] }",
      "{ id: c, bash: 'echo $a.output.more', depends_on: [a] }",
    ),
    { agent: () => '{"kind": "bug", "more": 1}' },
  );
  await it.begin();
  expect(it.of("node.ended").map(({ node, status }) => `${node} ${status}`)).toEqual([
    "a completed",
    "b failed",
    "c completed",
  ]);
});

test("STATE_DIR is a folder of the run, in prompts and in bash", async () => {
  const it = stage(
    workflow(
      "{ id: a, prompt: 'Write to $STATE_DIR/x' }",
      "{ id: b, bash: 'ls $STATE_DIR', depends_on: [a] }",
    ),
  );
  await it.begin();
  expect(it.prompts[0]?.prompt).toBe(`Write to ${it.facts.artifacts}/x`);
  expect(Object.values(it.scripts[0]?.env ?? {})).toContain(it.facts.artifacts);
});

test("an agent that reports no conversation leaves the one before it to be continued", async () => {
  const it = stage(
    workflow(
      "{ id: plan, prompt: p }",
      "{ id: build, prompt: p, depends_on: [plan] }",
      "{ id: last, prompt: Check it., depends_on: [build] }",
    ),
    {
      agent: ({ node }) =>
        node === "build" ? ({ text: "built", session: undefined } as never) : { text: "ok", session: "s" },
    },
  );
  await it.begin();
  expect(it.prompts.at(-1)).toMatchObject({ node: "last", session: "s", prompt: "Check it." });
});
