import { expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { stage } from "../parts/stage.ts";

test("a node starts as soon as its own dependencies have settled, not when a layer has", async () => {
  let releaseSlow = (_: string) => {};
  const slow = new Promise<string>((resolve) => {
    releaseSlow = resolve;
  });
  const it = stage(
    `
name: t
nodes:
  - { id: slow, prompt: slow }
  - { id: quick, prompt: quick }
  - { id: next, prompt: next, depends_on: [quick] }
`,
    {
      agent(request) {
        if (request.node === "slow") return slow;
        if (request.node === "next") setImmediate(() => releaseSlow("slow at last"));
        return "ok";
      },
    },
  );
  await it.begin();
  expect(it.of("node.ended").map(({ node }) => node)).toEqual(["quick", "next", "slow"]);
});

const join = (rule: string, left: string, right: string) => `
name: t
nodes:
  - { id: left, bash: "${left}" }
  - { id: right, bash: "${right}", when: "'${right}' == 'skip'" }
  - { id: join, bash: join, depends_on: [left, right], trigger_rule: ${rule} }
`;

test.each([
  ["all_success", "ok", "run", "completed"],
  ["all_success", "fail", "run", "skipped"],
  ["all_success", "ok", "skip", "skipped"],
  ["one_success", "fail", "run", "completed"],
  ["one_success", "fail", "skip", "skipped"],
  ["none_failed_min_one_success", "ok", "skip", "completed"],
  ["none_failed_min_one_success", "fail", "run", "skipped"],
  ["all_done", "fail", "skip", "completed"],
])("%s after %s and %s: the join is %s", async (...[rule, left, right, status]) => {
  const source = join(rule, left, right).replace(
    `when: "'${right}' == 'skip'"`,
    right === "skip" ? 'when: "false"' : 'when: "true"',
  );
  const it = stage(source, { shell: ({ script }) => (script === "fail" ? 1 : 0) });
  await it.begin();
  expect(it.of("node.ended").find(({ node }) => node === "join")).toMatchObject({ status });
});

test("a failure two hops up blocks a join that tolerates skipped nodes", async () => {
  const it = stage(
    `
name: t
nodes:
  - { id: a, bash: fail }
  - { id: b, bash: b, depends_on: [a] }
  - { id: c, bash: c }
  - { id: publish, bash: publish, depends_on: [b, c], trigger_rule: none_failed_min_one_success }
`,
    { shell: ({ script }) => (script === "fail" ? 1 : 0) },
  );
  await it.begin();
  expect(it.scripts.map(({ script }) => script)).not.toContain("publish");
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "node-failed" });
});

test("a run in which every node is skipped is skipped, and says so", async () => {
  const it = stage(
    `
name: t
nodes:
  - { id: a, bash: a, when: "'x' == 'y'" }
`.replace(`"'x' == 'y'"`, '"1 == 2"'),
  );
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "skipped", stop_reason: "not-selected" });
  expect(it.of("node.started")).toEqual([]);
  expect(it.of("node.ended")).toMatchObject([{ node: "a", status: "skipped" }]);
});

test("conditions compare as text and order as numbers", async () => {
  const it = stage(
    `
name: t
nodes:
  - { id: count, bash: count }
  - { id: same, bash: same, depends_on: [count], when: "$count.output == '7'" }
  - { id: more, bash: more, depends_on: [count], when: "$count.output > 10 || $count.output == 7" }
  - { id: no, bash: no, depends_on: [count], when: "$count.output >= 8" }
`,
    { shell: ({ script }) => (script === "count" ? "7\n" : "") },
  );
  await it.begin();
  expect(it.scripts.map(({ script }) => script)).toEqual(["count", "same", "more"]);
});

test("a retried node runs again after its delay; what cannot pass is not tried again", async () => {
  const it = stage(
    `
name: t
nodes:
  - { id: flaky, bash: flaky, retry: { max_attempts: 2, delay_ms: 1000 } }
`,
    { shell: (_, call) => (call < 3 ? 1 : 0) },
  );
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success" });
  expect(it.of("node.retried").map(({ path, attempt }) => [path, attempt])).toEqual([
    ["/flaky", 2],
    ["/flaky", 3],
  ]);
  expect(it.waits).toEqual([1000, 1000]);
  const auth = stage(
    `
name: t
nodes:
  - { id: a, prompt: a, retry: { max_attempts: 2 } }
`,
    { agent: () => new AgentError("auth", "no key") },
  );
  await auth.begin();
  expect(auth.prompts).toHaveLength(1);
  expect(auth.end()).toMatchObject({ stop_reason: "agent-error", because: "no key" });
});

test("reading the output of a failed node fails the reader", async () => {
  const it = stage(
    `
name: t
nodes:
  - { id: a, bash: fail }
  - { id: b, prompt: "see $a.output", depends_on: [a], trigger_rule: all_done }
`,
    { shell: () => 1 },
  );
  await it.begin();
  expect(it.of("node.ended").find(({ node }) => node === "b")).toMatchObject({
    status: "failed",
    reason: expect.stringContaining("a failed"),
  });
});

test("a cancel node ends the run as cancelled, and whatever had started has its end", async () => {
  const it = stage(
    `
name: t
nodes:
  - { id: long, prompt: long }
  - { id: look, bash: look }
  - { id: stop, cancel: " because $look.output ", depends_on: [look] }
`,
    { agent: () => new Promise<string>(() => {}), shell: () => "no\n" },
  );
  await it.begin();
  expect(it.end()).toMatchObject({
    conclusion: "cancelled",
    stop_reason: "cancelled",
    because: "because no",
  });
  expect(it.of("node.ended").map(({ node, status }) => [node, status])).toEqual([
    ["look", "completed"],
    ["stop", "cancelled"],
    ["long", "cancelled"],
  ]);
});

test("a message is used byte for byte, once", async () => {
  const message = "$& $` $LOOP_PREV_OUTPUT $(touch pwned) `x`\n'\"";
  const it = stage('name: t\nnodes:\n  - { id: a, prompt: "<$USER_MESSAGE> $ARGUMENTS_LIST" }\n', {
    facts: { message },
  });
  await it.begin();
  expect(it.prompts[0]?.prompt).toBe(`<${message}> $ARGUMENTS_LIST`);
});

test("a body graph runs again in each iteration and can read the previous iteration", async () => {
  const it = stage(
    `
name: t
nodes:
  - id: outer
    bash: outer
  - id: cycle
    depends_on: [outer]
    loop:
      max_iterations: 3
      until_expr: "output.contains('LGTM')"
      nodes:
        - { id: build, prompt: "build after <$LOOP_PREV.review.output> with $outer.output" }
        - { id: review, prompt: "review $build.output", depends_on: [build] }
`,
    {
      agent: ({ node, iteration }) =>
        node === "build" ? `built ${iteration}` : iteration === 2 ? "LGTM" : "change x",
      shell: () => "o\n",
    },
  );
  await it.begin();
  expect(it.end()).toMatchObject({
    conclusion: "success",
    stop_reason: "expression",
    output: "LGTM",
    iterations: 2,
  });
  expect(it.prompts[2]?.prompt).toBe("build after <change x> with o");
  expect(it.of("node.started").map(({ path }) => path)).toEqual([
    "/outer",
    "/cycle",
    "/cycle#1/build",
    "/cycle#1/review",
    "/cycle#2/build",
    "/cycle#2/review",
  ]);
});

test("another workflow runs with a scope of its own", async () => {
  const it = stage(
    `
name: t
nodes:
  - { id: pick, bash: pick }
  - { id: sub, workflow: child, with: { target: "$pick.output" }, depends_on: [pick] }
`,
    {
      shell: () => "x\n",
      workflows: {
        child:
          'name: child\ninputs: { target: {}, how: { default: fast } }\nnodes:\n  - { id: go, prompt: "$INPUTS.target $INPUTS.how" }\n',
      },
    },
  );
  await it.begin();
  expect(it.prompts[0]?.prompt).toBe("x fast");
  expect(it.of("node.started").map(({ path }) => path)).toEqual(["/pick", "/sub", "/sub/go"]);
});

test.each([
  ["that names none continues with the caller's, and its model", "", ["claude", "opus"]],
  ["that names the same one takes the caller's model", "agent: claude\n", ["claude", "opus"]],
  ["that names another one does not take the caller's model", "agent: codex\n", ["codex", undefined]],
])("a called workflow %s", async (_, own, chosen) => {
  const it = stage("name: t\nagent: claude\nmodel: opus\nnodes: [{ id: sub, workflow: child }]\n", {
    workflows: { child: `name: child\n${own}nodes: [{ id: go, prompt: go }]\n` },
  });
  await it.begin();
  expect(it.prompts.map(({ agent, model }) => [agent, model])).toEqual([chosen]);
});

test("a secret in the message or an input of a run enters neither the log nor the events", async () => {
  const it = stage(
    "name: t\ninputs: { key: {} }\nnodes:\n  - { id: a, prompt: $USER_MESSAGE $INPUTS.key }\n",
    {
      secrets: ["s3cret-value"],
      facts: { message: "use s3cret-value", inputs: { key: "s3cret-value" } },
    },
  );
  await it.begin();
  expect(JSON.stringify([await it.store.read("test-run"), it.events])).not.toContain("s3cret-value");
  expect(it.prompts[0]?.prompt).toBe("use *** ***");
});

test("a secret that is printed enters neither the log nor the events", async () => {
  const it = stage(
    "name: t\nnodes:\n  - { id: a, bash: env }\n  - { id: b, prompt: say it, depends_on: [a] }\n",
    {
      secrets: ["s3cret-value"],
      agent: () => "it is s3cret-value",
      shell: () => "KEY=s3cret-value\n",
    },
  );
  await it.begin();
  expect(JSON.stringify([await it.store.read("test-run"), it.events])).not.toContain("s3cret-value");
  expect(it.end()).toMatchObject({ output: "it is ***" });
});
