import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readInputs } from "../../../action/inputs/inputs.ts";
import { openJob } from "../../../action/job/job.ts";
import { continueLater } from "../../../action/run/dispatch-continuation.ts";
import { startSummary } from "../../../src/status/run-summary.ts";
import { openStore } from "../../../src/stores/index.ts";

const run = "long-run-1";
const at = "2026-01-01T00:00:00Z";
const rest = JSON.stringify({ type: "run.paused", at, stop_reason: "time-limit" });
const answer = JSON.stringify({ type: "run.messaged", at, to: "fix", from: "ada", text: "go on" });

/** A job whose run rests as its time is up, after these lines of its record; the workflows it starts are kept. */
async function restedAfter(lines: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "continuation-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    GITHUB_REPOSITORY: "o/r",
    GITHUB_REF: "refs/heads/main",
    GITHUB_WORKFLOW_REF: "o/r/.github/workflows/loop.yml@refs/heads/main",
    GITHUB_WORKSPACE: folder,
  };
  const dispatched: string[] = [];
  const host = { wake: async (workflow: string) => void dispatched.push(workflow) };
  const job = { ...openJob(env, []), host };
  const store = openStore("memory", { cwd: folder, directory: folder });
  await store.append(run, 0, lines);
  const read = readInputs(JSON.stringify({ prompt: "go", until: "DONE" }));
  if (!read.ok) throw new Error(read.faults.join());
  const summary = { ...startSummary(), run, state: "paused", stopReason: "time-limit" } as const;
  const keeping = { store, repository: undefined, lasts: true, lines, privateDir: () => folder };
  const notices = await continueLater(
    { summary, cwd: folder, fault: undefined, keeping, inputs: read.inputs },
    job,
  );
  return { notices, dispatched };
}

test("after twenty jobs in a row that ran out of time, no more are started until a person commands it", async () => {
  const twenty = await restedAfter(Array.from({ length: 20 }, () => rest));
  expect(twenty).toMatchObject({
    dispatched: [".github/workflows/loop.yml"],
    notices: [{ level: "notice" }],
  });
  const more = await restedAfter(Array.from({ length: 21 }, () => rest));
  expect(more.dispatched).toEqual([]);
  expect(more.notices).toMatchObject([
    {
      level: "warning",
      message: expect.stringMatching(/21 jobs in a row .* no more are started; resume .* manually/),
    },
  ]);
  const outcome = await restedAfter([...Array.from({ length: 21 }, () => rest), answer, rest]);
  expect(outcome.dispatched).toHaveLength(1);
});
