import { expect, test } from "vitest";
import { builtAction } from "../parts/built-action.ts";
import { runComposite } from "../parts/composite/run-composite.ts";
import { annotationsOf, checkoutOf } from "./checkout.ts";

const migrate = `name: migrate
inputs: { names: {}, how: { default: well } }
nodes: [{ id: each, loop: { for_each: $INPUTS.names, spread: jobs, batch: 2, max_parallel: 3, prompt: "$INPUTS.how" } }]
`;
const turbo = JSON.stringify({ packages: { items: ["a", "b", "c"].map((path) => ({ name: "n", path })) } });
const strange = [
  "a/b c",
  "🦀 é",
  "-rf",
  ".hidden",
  "x".repeat(300),
  "$(touch pwned)",
  "${{ github.token }}",
  "a\nb",
  "",
];
const linesTo = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`).join("\n");
const files = {
  ".github/loops/migrate.yml": migrate,
  "turbo.json": turbo,
  "none.txt": "\n",
  "many.txt": linesTo(10_001),
  "more.txt": linesTo(20_001),
};

async function plan(inputs: Readonly<Record<string, string>>) {
  const actionDir = builtAction();
  const workspace = await checkoutOf(files);
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
  expect(annotationsOf(poor, "error").map(({ message }) => message)).toEqual([
    "a budget of 1 is too small for 2 jobs: raise it, or set a larger `batch`",
  ]);
});

const planned = ({ outputs }: Awaited<ReturnType<typeof plan>>) =>
  (JSON.parse(outputs["matrices"] || "[]") as { inputs: { names: string } }[][])
    .flat()
    .flatMap(({ inputs }) => JSON.parse(inputs.names) as unknown[]);
const errors = (result: Awaited<ReturnType<typeof plan>>) =>
  annotationsOf(result, "error").map(({ message }) => message);

test("items with any name arrive unchanged, and those listed twice are reported", async () => {
  const listed = await plan({
    inputs: JSON.stringify({ names: JSON.stringify([...strange, "dup", "dup"]) }),
  });
  expect(planned(listed)).toEqual([...strange, "dup", "dup"]);
  expect(annotationsOf(listed, "warning").map(({ message }) => message)).toEqual([
    'the list contains items more than once, and works on each of them: "dup"',
  ]);
  const routes = await plan({ inputs: JSON.stringify({ names: "[slug]/page.tsx\n[id].ts" }) });
  expect(planned(routes)).toEqual(["[slug]/page.tsx", "[id].ts"]);
  const lines = '{"location":".","name":"a"}\n{"location":"b","name":"b"}';
  expect(planned(await plan({ inputs: JSON.stringify({ names: lines }) }))).toHaveLength(2);
});

test("JSON that is no list is refused, as each of its lines would cost a job", async () => {
  const broken = await plan({ inputs: JSON.stringify({ names: '["a", "b' }) });
  expect(errors(broken)).toEqual([
    "the list starts like JSON but is not valid JSON: check that its file is complete",
  ]);
  const cargo = await plan({ inputs: JSON.stringify({ names: '{\n "packages": [\n "a"\n]}' }) });
  expect(errors(cargo)).toEqual([
    "the list is a JSON object, not a list: pass the list inside it, for example with `jq .packages`",
  ]);
});

test("10,001 items in batches of two fill twenty matrices; what does not fit a run is refused", async () => {
  const listed = await plan({ list: "file:many.txt" });
  expect(JSON.parse(listed.outputs["matrices"] ?? "")).toHaveLength(20);
  expect(planned(listed).join("\n")).toBe(files["many.txt"]);
  const refused = await plan({ list: "file:more.txt" });
  expect(errors(refused)).toEqual([
    "20001 items in jobs of 2 need 10001 jobs, but a run has at most 9999: set a larger `batch`",
  ]);
});
