import { expect, test } from "vitest";
import { agentNames } from "../../src/agents/index.ts";
import { compile } from "../../src/compile/compile.ts";
import { spreadItems, spreadLoop } from "../../src/plan/spread.ts";
import { planOf } from "../parts/stage.ts";

const list = (count: number) => Array.from({ length: count }, (_, at) => `item ${at}`);

test.each([
  [3, undefined, [3], 1],
  [256, undefined, [256], 1],
  [1_000, undefined, [250], 4],
  [1_000, 1, [256, 256, 256, 232], 1],
  [1_000, 3, [256, 78], 3],
  [100_000, undefined, [256], 391],
  [0, undefined, [], 0],
])("%i items in batches of %o make matrices of %j jobs", (...row) => {
  const [count, batch, sizes, most] = row;
  const matrices = spreadItems(list(count), batch);
  expect(matrices.map(({ length }) => length)).toEqual(sizes);
  const jobs = matrices.flat();
  expect(jobs.map(({ number }) => number)).toEqual(jobs.map((_, at) => at + 1));
  expect(jobs.flatMap(({ items }) => items)).toEqual(list(count));
  expect(Math.max(0, ...jobs.map(({ items }) => items.length))).toBe(most);
});

const file = (keys: string) => `name: t
inputs: { names: {} }
nodes: [{ id: each, loop: { ${keys}, prompt: go } }]
`;

test("a loop says that its list is spread, how much a job takes, and how many jobs run at once", () => {
  const keys = "for_each: $INPUTS.names, spread: jobs, batch: 5, max_parallel: 3";
  expect(spreadLoop(planOf(file(keys)))).toEqual({ node: "each", input: "names", batch: 5, maxParallel: 3 });
  expect(spreadLoop(planOf(file("for_each: $INPUTS.names")))).toBeUndefined();
});

test.each([
  ["for_each: [a, b], spread: jobs", "needs a list that can be divided among jobs"],
  ["for_each: $INPUTS.names, batch: 5", "`batch` goes with `spread: jobs`"],
  ["until: DONE, max_iterations: 2, spread: jobs", "works only with `for_each`"],
])("%s is refused", (keys, because) => {
  const read = compile(
    { text: file(keys), file: "t.yml" },
    { agents: agentNames, command: () => undefined, workflow: () => undefined },
  );
  expect(read.ok ? [] : read.diagnostics.map(({ message }) => message)).toEqual([
    expect.stringContaining(because),
  ]);
});
