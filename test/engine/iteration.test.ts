import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/ports/agent.ts";
import { eventBodies } from "../parts/event-bodies.ts";
import { type Props, type Stage, stage } from "../parts/stage.ts";

const loop = (keys: string) => `
name: t
nodes:
  - id: fix
    loop:
      max_iterations: 2
      ${keys.trim().replaceAll("\n", "\n      ")}
`;

async function ended(source: string, props: Props = {}): Promise<Stage> {
  const it = stage(source, props);
  await it.begin();
  return it;
}

/** Each snapshot is another commit and another tree, with what it changed. */
function changing(): NonNullable<Props["workspace"]> {
  let count = 0;
  return ({ op }) => {
    if (op === "diff") return { patch: "+it" };
    if (op !== "snapshot") return {};
    count += 1;
    const diff = { files: 1, added: count, removed: 0, paths: ["a.js"] };
    return { commit: `commit-${count}`, tree: `tree-${count}`, ...(count > 1 && { diff }) };
  };
}

const iterations = (it: Stage) => eventBodies(it.of("iteration.started", "iteration.ended"));

test("the events of an iteration name its snapshot, the one before it, and what it changed", async () => {
  const it = await ended(loop("prompt: go\nuntil: DONE"), {
    workspace: changing(),
    agent: (_, call) => `draft ${call}`,
  });
  const fix = (number: number) => ({ path: `/fix#${number}`, node: "fix", number });
  const changed = (added: number) => ({ files: 1, added, removed: 0, paths: ["a.js"] });
  expect(iterations(it)).toEqual([
    { type: "iteration.started", ...fix(1) },
    {
      ...{ type: "iteration.ended", ...fix(1), output: "draft 1" },
      ...{ snapshot: "commit-2", since: "commit-1", diff: changed(2) },
    },
    { type: "iteration.started", ...fix(2) },
    {
      ...{ type: "iteration.ended", ...fix(2), output: "draft 2" },
      ...{ snapshot: "commit-3", since: "commit-2", diff: changed(3) },
    },
  ]);
});

test("an iteration without a snapshot has none in its event, and neither has one that failed", async () => {
  const it = await ended(loop("prompt: go\nuntil: DONE\non_error: continue"), {
    agent: (_, call) => (call === 1 ? new AgentError("crash", "it broke") : "ok"),
  });
  expect(iterations(it).filter(({ type }) => type === "iteration.ended")).toStrictEqual([
    { type: "iteration.ended", path: "/fix#1", node: "fix", number: 1, output: "" },
    { type: "iteration.ended", path: "/fix#2", node: "fix", number: 2, output: "ok" },
  ]);
});

describe("after an iteration that failed", () => {
  /** The second of these iterations fails. */
  const failing = (onError: string, max: number) =>
    ended(
      loop(`prompt: "after [$LOOP_PREV_OUTPUT]"\nuntil: DONE\non_error: ${onError}`).replace("2", `${max}`),
      { agent: (_, call) => (call === 2 ? new AgentError("crash", "it broke") : `draft ${call}`) },
    );

  test("the loop reports the failure if it was the last one", async () => {
    const it = await failing("continue", 2);
    expect(it.end()?.because).toBe("fix was not done after 2 iterations: iteration 2 failed: it broke");
  });

  test.each([
    ["continue", "after []"],
    ["forget", "after [draft 1]"],
  ])("with `on_error: %s`, the next one starts %s", async (onError, next) => {
    const it = await failing(onError, 3);
    expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["after []", "after [draft 1]", next]);
  });

  test("a retry waits, and is not made once the budget is used up", async () => {
    const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 1 };
    const source = loop("prompt: go\nuntil: DONE\non_error: retry\nretries: 3\nretry_delay: 4s");
    const it = await ended(source.replace("nodes:", "budget: { usd: 1 }\nnodes:"), {
      agent: () => new AgentError("crash", "it broke", { usage }),
    });
    expect(it.of("node.retried")).toHaveLength(1);
    expect(it.waits).toEqual([4_000]);
    expect(it.end()).toMatchObject({ stop_reason: "budget" });
  });
});

test("a loop without progress says so in an event of its own", async () => {
  const it = await ended(loop("prompt: go\nuntil_bash: npm test\nno_progress: { same_failure: 1 }"), {
    shell: () => ({ exitCode: 1, tail: "1 failing" }),
  });
  const because = "the same failure came back in 1 iterations";
  expect(eventBodies(it.of("stop.tested")).at(-1)).toEqual({
    ...{ type: "stop.tested", path: "/fix#2", kind: "no-progress", verdict: "give-up", because },
  });
  expect(it.end()).toMatchObject({ stop_reason: "no-progress", because: expect.stringContaining(because) });
});

describe("work that is done", () => {
  const same: NonNullable<Props["workspace"]> = () => ({ commit: "c", tree: "t" });

  test("ends the loop as done, although it changed nothing", async () => {
    const source = loop("prompt: go\nuntil: DONE\nno_progress: { no_change: 1 }");
    const it = await ended(source, { agent: () => "DONE", workspace: same });
    expect(it.of("stop.tested").map(({ kind, verdict }) => [kind, verdict])).toEqual([["signal", "done"]]);
    expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "signal" });
  });

  test("is not measured: the loop keeps it without a comparison", async () => {
    const source = loop("prompt: go\nuntil: DONE\nkeep: best\nmetric: count\ndirection: min");
    const it = await ended(source, { agent: (_, call) => (call === 2 ? "DONE" : "more"), workspace: same });
    const measured = it.scripts.map(({ env }) => env["LOOP_ITERATION"]);
    expect(measured).toEqual(["0", "1"]);
  });
});

describe("the review of work that is done", () => {
  const reviewed = (reply: string) =>
    ended(loop('prompt: "check [$LOOP_CHECK_OUTPUT]"\nuntil_bash: npm test\nreview: true'), {
      workspace: changing(),
      agent: ({ role }) => (role === "judge" ? reply : "did it"),
    });

  test("tells the next iteration, and the loop's end, why the work was rejected", async () => {
    const it = await reviewed('{"honest": false, "reason": "it knows the tests"}');
    const because = "the reviewer does not find the work honest: it knows the tests";
    const workers = it.prompts.filter(({ role }) => role === "worker");
    expect(workers.map(({ prompt }) => prompt)).toEqual(["check []", `check [${because}]`]);
    expect(it.end()).toMatchObject({
      stop_reason: "max-iterations",
      because: `fix was not done after 2 iterations: the check passed; ${because}`,
    });
  });

  test("is not asked for work that is not done", async () => {
    const it = await ended(loop("prompt: go\nuntil_bash: npm test\nreview: true"), { shell: () => 1 });
    expect(it.prompts.map(({ role }) => role)).toEqual(["worker", "worker"]);
  });
});

test("with `output: cumulative` alone, a loop gives every output", async () => {
  const it = await ended(loop("prompt: go\nuntil: DONE\non_max: succeed\noutput: cumulative"), {
    agent: (_, call) => `draft ${call}`,
  });
  expect(it.end()?.output).toBe("draft 1\n---\ndraft 2");
});

describe("before the first iteration", () => {
  test("only the check is asked, as if nothing had been done", async () => {
    const source = loop(
      'prompt: go\nuntil_bash: "test -z \\"$LOOP_OUTPUT\\""\nuntil_agent: claude\nuntil_mode: all\ncheck: { baseline: true, clean: off }',
    );
    const it = await ended(source);
    expect(it.prompts).toEqual([]);
    expect(it.scripts.map(({ env }) => [env["LOOP_OUTPUT"], env["LOOP_ITERATION"]])).toEqual([["", "0"]]);
    expect(it.of("stop.tested").map(({ path }) => path)).toEqual(["/fix#0?1"]);
    expect(it.of("node.ended")[0]).toMatchObject({ output: "", reason: "nothing-to-do" });
    expect(it.end()).toMatchObject({ conclusion: "skipped", stop_reason: "nothing-to-do" });
  });

  test("a check that cannot run ends the loop without output", async () => {
    const it = await ended(loop("prompt: go\nuntil_bash: npm test\ncheck: { baseline: true }"), {
      shell: () => ({ exitCode: 127, tail: "bash: line 1: npm: command not found" }),
    });
    expect(it.of("node.ended")[0]).toMatchObject({
      ...{ status: "failed", output: "" },
      reason:
        "the check of fix gave no result: exit 127: command not found: `bash: line 1: npm: command not found`",
    });
  });

  test("a red check is what the first iteration reads, and counts as a failure that was there", async () => {
    const it = await ended(
      loop(
        'prompt: "check [$LOOP_CHECK_OUTPUT]"\nuntil_bash: npm test\ncheck: { baseline: true }\nno_progress: { same_failure: 1 }',
      ),
      { shell: () => ({ exitCode: 1, tail: "1 failing" }) },
    );
    expect(it.prompts.map(({ prompt }) => prompt)).toEqual(["check [exit 1\n1 failing]"]);
    expect(it.end()).toMatchObject({ stop_reason: "no-progress", iterations: 1 });
  });
});
