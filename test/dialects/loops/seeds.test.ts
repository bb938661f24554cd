import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { planSchema } from "../../../src/plan/plan.ts";
import { planOf } from "../../parts/stage.ts";
import { child, play, seed } from "./files.ts";

interface Played {
  readonly seed: string;
  readonly workflows: Readonly<Record<string, string>>;
  /** The iteration from which conditions are met. */
  readonly metAt: number;
  readonly ends: string;
  readonly iterations: number;
  readonly output: string;
}

const work = child("{{input}}");

const plays: readonly Played[] = [
  {
    seed: "iterative-developer",
    workflows: { dev_cycle: seed("dev-cycle") },
    metAt: 2,
    ends: "answer",
    iterations: 2,
    output: "report 0",
  },
  { seed: "dev-cycle", workflows: {}, metAt: 1, ends: "completed", iterations: 0, output: "review 0" },
  {
    seed: "minimal-loop",
    workflows: { task_workflow: work },
    metAt: 3,
    ends: "answer",
    iterations: 3,
    output: "work 3",
  },
  {
    seed: "complete-loop",
    workflows: { task_workflow: work },
    metAt: 11,
    ends: "iterations-done",
    iterations: 10,
    output: "work 10",
  },
  {
    seed: "usage",
    workflows: { dev_cycle: work },
    metAt: 3,
    ends: "answer",
    iterations: 3,
    output: "work 3",
  },
  {
    seed: "halt",
    workflows: { important_workflow: work },
    metAt: 2,
    ends: "answer",
    iterations: 2,
    output: "work 2",
  },
  {
    seed: "continue",
    workflows: { try_approach: work },
    metAt: 4,
    ends: "answer",
    iterations: 4,
    output: "work 4",
  },
  { seed: "retry", workflows: { api_call: work }, metAt: 1, ends: "answer", iterations: 1, output: "work 1" },
  {
    seed: "refine-document",
    workflows: { improve_text: work },
    metAt: 9,
    ends: "iterations-done",
    iterations: 3,
    output: "work 3",
  },
  {
    seed: "search-solution",
    workflows: { try_approach: work },
    metAt: 4,
    ends: "answer",
    iterations: 4,
    output: "work 4",
  },
  {
    seed: "quality-gate",
    workflows: { content_generator: work },
    metAt: 2,
    ends: "answer",
    iterations: 2,
    output: "work 2",
  },
  {
    seed: "progressive-refinement",
    workflows: { improver: work },
    metAt: 2,
    ends: "answer",
    iterations: 2,
    output: "work 2",
  },
  {
    seed: "multi-stage",
    workflows: { dev_cycle: work, test_cycle: work },
    metAt: 2,
    ends: "answer",
    iterations: 4,
    output: "stage1 0",
  },
  {
    seed: "nested-outer",
    workflows: { inner_workflow: seed("nested-inner"), task: work },
    metAt: 2,
    ends: "answer",
    iterations: 6,
    output: "work 2",
  },
  {
    seed: "nested-inner",
    workflows: { task: work },
    metAt: 5,
    ends: "answer",
    iterations: 5,
    output: "work 5",
  },
  {
    seed: "accumulate",
    workflows: { task_workflow: work },
    metAt: 2,
    ends: "answer",
    iterations: 2,
    output: "analyze 0",
  },
  {
    seed: "exit-conditions",
    workflows: { task_workflow: work },
    metAt: 1,
    ends: "answer",
    iterations: 21,
    output: "work 1",
  },
  {
    seed: "best-practices",
    workflows: { task_workflow: work },
    metAt: 2,
    ends: "answer",
    iterations: 8,
    output: "work 2",
  },
  {
    seed: "use-loop-result",
    workflows: { task_workflow: work },
    metAt: 2,
    ends: "answer",
    iterations: 2,
    output: "use_loop_result 0",
  },
];

test("every example of the page we learned from is played", () => {
  const files = readdirSync(new URL("./seeds/", import.meta.url));
  expect(files.sort()).toEqual(plays.map((it) => `${it.seed}.yaml`).sort());
});

test.each(plays)("$seed, as it was published, ends with $ends", async (it) => {
  const plan = planOf(seed(it.seed), it.workflows);
  expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  const run = play(seed(it.seed), it.workflows, { metAt: it.metAt });
  await run.begin();
  expect(run.end()).toMatchObject({
    conclusion: "success",
    stop_reason: it.ends,
    iterations: it.iterations,
    output: it.output,
  });
});
