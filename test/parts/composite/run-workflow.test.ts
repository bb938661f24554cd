import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runWorkflow, type WorkflowRun } from "./run-workflow.ts";

async function run(jobs: string, more: Omit<WorkflowRun, "file"> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "workflow-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "w.yml");
  writeFileSync(file, `on: workflow_dispatch\njobs:\n${jobs}`);
  return await runWorkflow({ file, ...more });
}

test("jobs run after those they need, and see their outputs", async () => {
  const results = await run(`
  second:
    needs: first
    steps: [{ run: 'echo "got \${{ needs.first.outputs.word }}"' }]
  first:
    outputs: { word: "\${{ steps.say.outputs.word }}" }
    steps: [{ id: say, run: 'echo word=hello >> "$GITHUB_OUTPUT"' }]
`);
  expect(results.map(({ name, result }) => [name, result])).toEqual([
    ["first", "success"],
    ["second", "success"],
  ]);
  expect(results[1]?.log).toContain("got hello");
});

test("a job whose needs failed is skipped, unless its condition allows it", async () => {
  const results = await run(`
  test: { steps: [{ run: "exit 1" }] }
  after: { needs: test, steps: [{ run: "true" }] }
  mend: { needs: test, if: failure(), steps: [{ run: "true" }] }
`);
  expect(results.map(({ result }) => result)).toEqual(["failure", "skipped", "success"]);
});

test("a job runs once for each value of its matrix, also of a computed one", async () => {
  const results = await run(
    `
  each:
    strategy: { matrix: { item: "\${{ fromJSON(inputs.items) }}" } }
    steps: [{ run: 'echo "item \${{ matrix.item }}"' }]
`,
    { inputs: { items: '["a", "b"]' } },
  );
  expect(results.map(({ name }) => name)).toEqual(["each (a)", "each (b)"]);
  expect(results[1]?.log).toContain("item b");
});

test("steps see the secrets, each job in a folder of its own", async () => {
  const results = await run(
    `
  one: { steps: [{ run: 'touch made; echo "key \${{ secrets.KEY }}"' }] }
  two: { needs: one, steps: [{ run: 'test ! -e made' }] }
`,
    { secrets: { KEY: "k-1" } },
  );
  expect(results.map(({ result }) => result)).toEqual(["success", "success"]);
  expect(results[0]?.log).toContain("key k-1");
});
