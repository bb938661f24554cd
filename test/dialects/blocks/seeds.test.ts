import { readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { planSchema } from "../../../src/plan/plan.ts";
import { blocksPlan, diagnosticsOf, outputsOf, promptOf, run, seed } from "./files.ts";

// Python starts slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const folder = new URL("./seeds/", import.meta.url);

test.each(readdirSync(folder))(
  "%s compiles without a fault or a warning, and a log can keep its plan",
  (file) => {
    const text = readFileSync(new URL(file, folder), "utf8");
    expect(diagnosticsOf(text)).toEqual([]);
    const plan = blocksPlan(text);
    expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  },
);

test("simple loop: a gate that passes breaks the loop, and what depends on the loop reads what is in it", async () => {
  const it = await run(seed("simple-loop"), (node, iteration) => {
    if (node === "review") return iteration === 2 ? "PASS" : "FAIL: too short";
    return `draft ${iteration}`;
  });
  expect(outputsOf(it)).toEqual([
    "/refine#1/draft: draft 1",
    "/refine#1/review: FAIL: too short",
    "/refine#2/draft: draft 2",
    "/refine#2/review: PASS",
    "/refine: completed_2_rounds",
    '/done: {"final": "draft 2"}',
  ]);
  expect(it.of("node.ended").find(({ path }) => path === "/refine")).toMatchObject({
    result: {
      rounds_completed: 2,
      broke_early: true,
      break_reason: "exit_handle 'pass' matched break_on_exit",
    },
  });
  expect(it.end()).toMatchObject({
    conclusion: "success",
    stop_reason: "exit-handle",
    iterations: 2,
    output: '{"final": "draft 2"}',
    results: {
      draft: "draft 2",
      review: "PASS",
      refine: "completed_2_rounds",
      done: '{"final": "draft 2"}',
    },
  });
});

test("simple loop: after the last round the workflow continues, whether or not the gate ever passed", async () => {
  const it = await run(seed("simple-loop"), (node) => (node === "review" ? "FAIL: no" : "text"));
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "iterations-done", iterations: 3 });
  expect(it.of("node.ended").find(({ path }) => path === "/refine")).toMatchObject({
    result: { rounds_completed: 3, broke_early: false, break_reason: "max_rounds reached" },
  });
  expect(it.of("node.ended").at(-1)).toMatchObject({ node: "done", status: "completed" });
});

test("break on exit: a soul judges as a gate, by the output it is shown", async () => {
  const it = await run(seed("break-on-exit"), (node) => (node === "review" ? "pass, fine" : "a poem"));
  expect(it.end()).toMatchObject({ stop_reason: "exit-handle", iterations: 1, output: "completed_1_rounds" });
  expect(it.prompts.map(({ node, role, instructions }) => [node, role, instructions])).toEqual([
    ["draft", "worker", "You are the writer."],
    ["review", "gate", "You are the critic."],
  ]);
  expect(promptOf(it, "review")).toContain("<output-of-draft>\na poem\n</output-of-draft>");
});

test("break condition: the last block's own output decides, at the end of a round", async () => {
  const it = await run(seed("break-condition"), (node, iteration) =>
    node === "review" ? JSON.stringify({ verdict: iteration === 3 ? "approved" : "no" }) : "approved",
  );
  expect(it.end()).toMatchObject({ stop_reason: "condition", iterations: 3 });
  expect(it.of("node.ended").at(-1)?.result).toMatchObject({
    broke_early: true,
    break_reason: "condition met",
  });
});

test("break condition group: all of its conditions must hold", async () => {
  const verdicts = [
    { score: 9, verdict: "no" },
    { score: "7.5", verdict: "approved" },
    { score: "8.0", verdict: "approved" },
  ];
  const it = await run(seed("break-condition-group"), (node, iteration) =>
    node === "review" ? JSON.stringify(verdicts[iteration - 1]) : "text",
  );
  expect(it.end()).toMatchObject({ stop_reason: "condition", iterations: 3 });
});

test("retry on exit: the rest of the iteration is skipped, and it counts as an iteration", async () => {
  const it = await run(seed("retry-on-exit"), (node, iteration) => {
    if (node === "draft") return `draft ${iteration}`;
    return iteration < 3 ? "NEEDS WORK" : "GOOD";
  });
  expect(it.end()).toMatchObject({ stop_reason: "exit-handle", iterations: 3 });
  expect(it.of("node.ended").at(-1)?.result).toMatchObject({
    rounds_completed: 3,
    break_reason: "exit_handle 'approved' matched break_on_exit",
  });
});

test("carry context: each round sees what the one before gave, the first one nothing", async () => {
  const it = await run(seed("carry-context"), (node, iteration) =>
    node === "review" ? (iteration < 3 ? "FAIL: too short" : "PASS") : `draft ${iteration}`,
  );
  const drafts = it.prompts.filter(({ node }) => node === "draft").map(({ prompt }) => prompt);
  expect(drafts[0]).toBe('## Request\nthe task\n\nDo the block "draft".');
  const carried = JSON.stringify({ draft: "draft 1", review: "FAIL: too short" }, undefined, 2);
  expect(drafts[1]).toBe(`## Request\nthe task\n\n## previous_feedback\n${carried}\n\nDo the block "draft".`);
  expect(promptOf(it, "review")).toContain("draft 2");
  expect(it.end()).toMatchObject({ stop_reason: "iterations-done", iterations: 3 });
});

test("stateful: a soul continues its conversation from round to round, a gate does not", async () => {
  const it = await run(seed("stateful"), (node, iteration) =>
    node === "review" ? `FAIL ${iteration}` : "text",
  );
  const sessions = (node: string) =>
    it.prompts.filter((one) => one.node === node).map(({ session }) => session);
  expect(sessions("draft")).toEqual([undefined, "session-1", "session-1"]);
  expect(sessions("review")).toEqual([undefined, undefined, undefined]);
  expect(sessions("done")).toEqual([undefined]);
});

test("code and gate: code knows the number of its round, and what follows how the loop went", async () => {
  const it = await run(seed("code-and-gate"), (_, iteration) => (iteration === 4 ? "PASS" : "FAIL: again"));
  expect(outputsOf(it)).toContain('/improve_loop#4/generate: {"draft": "Attempt 4"}');
  expect(it.end()).toMatchObject({
    conclusion: "success",
    iterations: 4,
    output:
      '{"rounds_completed": 4, "broke_early": true, "break_reason": "exit_handle \'pass\' matched break_on_exit"}',
  });
});
