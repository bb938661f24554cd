import { expect, test } from "vitest";
import { runComposite } from "../parts/composite/run-composite.ts";
import { checkoutOf, said } from "./checkout.ts";
import { actionFromSource } from "./source.ts";

const migrate = `name: migrate
inputs: { names: {}, how: { default: well } }
nodes: [{ id: each, loop: { for_each: $INPUTS.names, spread: jobs, batch: 2, max_parallel: 3, prompt: "$INPUTS.how" } }]
`;
const turbo = JSON.stringify({ packages: { items: ["a", "b", "c"].map((path) => ({ name: "n", path })) } });
const files = { ".github/loops/migrate.yml": migrate, "turbo.json": turbo, "none.txt": "\n" };

async function plan(inputs: Readonly<Record<string, string>>) {
  const [actionDir, workspace] = await Promise.all([actionFromSource(), checkoutOf(files)]);
  return await runComposite({
    actionDir,
    workspace,
    inputs: { command: "plan", workflow: "migrate", ...inputs },
    github: { run_id: "77" },
  });
}

test("a list is divided into jobs, each with its inputs and its part of the budget", async () => {
  const planned = await plan({ inputs: '{"names": ["a", "b", "c"], "how": "fast"}', "max-cost-usd": "10" });
  expect(planned.ok, planned.log.join("\n")).toBe(true);
  const { matrices = "", ...outputs } = planned.outputs;
  expect(JSON.parse(matrices)).toEqual([
    [
      { number: 1, inputs: { names: '["a","b"]', how: "fast" } },
      { number: 2, inputs: { names: '["c"]', how: "fast" } },
    ],
  ]);
  expect(outputs).toMatchObject({
    conclusion: "success",
    "run-id": expect.stringMatching(/^migrate-77-\d+$/),
    jobs: "2",
    "max-parallel": "3",
    "shared-budget": '{"jobs":2,"usd":10}',
    "max-cost-usd": "5",
    "max-tokens": "",
  });
  expect(planned.summary).toContain("| 1 | `a`, `b` |");
});

test("a list may be what another tool printed; an empty one is nothing to do, and too small a budget is refused", async () => {
  const listed = await plan({ list: "file:turbo.json" });
  expect(JSON.parse(listed.outputs["matrices"] ?? "").flat()).toMatchObject([
    { number: 1, inputs: { names: '["a","b"]' } },
    { number: 2, inputs: { names: '["c"]' } },
  ]);
  const none = await plan({ list: "file:none.txt" });
  expect(none.outputs).toMatchObject({ conclusion: "skipped", jobs: "0", matrices: "[]" });
  const poor = await plan({ list: "file:turbo.json", "max-tokens": "1" });
  expect(said(poor, "error").map(({ message }) => message)).toEqual([
    "a cap of 1 is too little for 2 jobs: raise it, or say a larger `batch`",
  ]);
});
