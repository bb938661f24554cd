import { describe, expect, test } from "vitest";
import type { WorkspaceRequest } from "../../src/ports/workspace.ts";
import { stage } from "../parts/stage.ts";

const refine = (more = "") => `
name: guided-refine
interactive: true
nodes:
  - id: refine
    loop:
      prompt: "round $LOOP_ITERATION: [$LOOP_USER_INPUT] [$LOOP_PREV_OUTPUT]"
      until: DONE
      max_iterations: 3
      interactive: true
      gate_message: Look at it.
      ${more}
`;

test("an interactive loop pauses after each iteration, and feedback is there in exactly one", async () => {
  const it = stage(refine(), { agent: (_, call) => (call === 3 ? "DONE" : `draft ${call}`) });
  const paused = await it.begin();
  expect(paused.ended).toBe(false);
  expect(it.of("run.paused")).toMatchObject([{ stop_reason: "gate", gates: [{ path: "/refine#1!gate" }] }]);
  expect(it.of("gate.opened")[0]?.message).toMatch(
    /Look at it\.[\s\S]*> draft 1[\s\S]*until-green approve test-run/,
  );
  await it.decide("approve", "shorter");
  await it.decide("approve");
  expect(it.prompts.map(({ prompt }) => prompt)).toEqual([
    "round 1: [] []",
    "round 2: [shorter] [draft 1]",
    "round 3: [] [draft 2]",
  ]);
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "signal", iterations: 3 });
  expect(it.of("run.started")).toHaveLength(1);
});

test("feedback at the last allowed iteration grants one more", async () => {
  const it = stage(refine().replace("max_iterations: 3", "max_iterations: 1"), {
    agent: (_, call) => (call === 2 ? "DONE" : "hm"),
  });
  await it.begin();
  await it.decide("approve", "once more");
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2 });
});

test("a bare approval at the last allowed iteration ends the loop as exhausted", async () => {
  const it = stage(refine().replace("max_iterations: 3", "max_iterations: 1"));
  await it.begin();
  await it.decide("approve");
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "max-iterations" });
});

test.each([
  ["no good", "rejected by ann: no good"],
  ["", "rejected by ann"],
])("a rejection with %j ends the run as failed", async (text, because) => {
  const it = stage(refine());
  await it.begin();
  await it.decide("reject", text);
  expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "rejected", because });
  expect(it.of("loop.ended")).toMatchObject([{ status: "failed", stop_reason: "rejected" }]);
});

test("where finished work waits too, a bare approval accepts it and runs no agent", async () => {
  const it = stage(refine("signal_completes: false"), { agent: () => "Here.\n<promise>DONE</promise>" });
  await it.begin();
  await it.decide("approve");
  expect(it.prompts).toHaveLength(1);
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "approved", output: "Here." });
});

const approval = `
name: t
interactive: true
nodes:
  - { id: plan, prompt: plan }
  - id: ok
    depends_on: [plan]
    approval: { message: "Go with $plan.output?", capture_response: true, on_reject: { prompt: "again: $REJECTION_REASON", max_attempts: 1 } }
  - { id: ship, prompt: "ship: $ok.output", depends_on: [ok] }
`;

test("an approval waits, hands its text on, and reworks as often as it may before it rejects", async () => {
  const yes = stage(approval);
  await yes.begin();
  await yes.decide("approve", "go");
  expect(yes.prompts.at(-1)?.prompt).toBe("ship: go");
  const no = stage(approval);
  await no.begin();
  await no.decide("reject", "too big");
  expect(no.prompts.at(-1)?.prompt).toBe("again: too big");
  expect(no.end()).toBeUndefined();
  await no.decide("reject", "still");
  expect(no.end()).toMatchObject({ conclusion: "failure", stop_reason: "rejected" });
});

test("other branches continue while a gate is open", async () => {
  const it = stage(`
name: t
interactive: true
nodes:
  - { id: gate, approval: { message: "?" } }
  - { id: other, prompt: other }
`);
  await it.begin();
  expect(it.of("node.ended").map(({ node }) => node)).toEqual(["other"]);
});

describe("a gate over protected files", () => {
  const guarded = `
name: t
interactive: true
nodes:
  - id: fix
    loop:
      prompt: "$LOOP_USER_INPUT"
      until_bash: npm test
      max_iterations: 2
      on_protected_change: gate
      check: { clean: off }
`;

  /** The agent changes a protected file in its first iteration. */
  function changing() {
    const asked: WorkspaceRequest[] = [];
    const it = stage(guarded, {
      shell: (_, call) => (call === 1 ? 1 : 0),
      workspace(request) {
        asked.push(request);
        const count = asked.filter(({ op }) => op === "snapshot").length;
        if (request.op === "snapshot") return { commit: `commit-${count}`, tree: `tree-${count}` };
        if (request.op === "diff") return { patch: "-old\n+new" };
        const isFirst = asked.filter(({ op }) => op === "protect").length === 1;
        return request.op === "protect" && isFirst ? { restored: ["vitest.config.ts"] } : {};
      },
    });
    return { it, asked };
  }

  test("shows the changes, and approved ones are protected in later iterations", async () => {
    const { it, asked } = changing();
    await it.begin();
    expect(it.of("gate.opened")[0]).toMatchObject({ path: "/fix#1!protected" });
    expect(it.of("gate.opened")[0]?.message).toMatch(/vitest\.config\.ts[\s\S]*\n {4}-old\n {4}\+new\n/);
    await it.decide("approve");
    expect(it.of("notice")).toEqual([]);
    // Before the loop, as the agent left it, without its changes.
    expect(asked.filter(({ op }) => op === "diff" || op === "restore").slice(0, 2)).toEqual([
      { op: "diff", from: "commit-3", to: "commit-2", most: 20_000 },
      { op: "restore", commit: "commit-2" },
    ]);
    expect(asked.filter((request) => request.op === "protect").map(({ commit }) => commit)).toEqual([
      "commit-1",
      "commit-2",
    ]);
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 2 });
  });

  test("restores them if a person rejects the changes, and the agent gets the reason", async () => {
    const { it, asked } = changing();
    await it.begin();
    await it.decide("reject", "keep the timeout");
    expect(it.of("notice")).toMatchObject([{ code: "TAMPERED" }]);
    expect(asked.filter(({ op }) => op === "restore")).toEqual([]);
    expect(it.prompts[1]?.prompt).toContain("keep the timeout");
  });
});
