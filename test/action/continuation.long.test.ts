import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { loopFile } from "../parts/terminal.ts";
import { cloneOf, jobOf, openRepository, stateOf } from "./github-job.ts";

// Each job is a process with git and a server behind it, and there are several in a row.
vi.setConfig({ testTimeout: 180_000 });

const straight = loopFile("prompt: go\nuntil_bash: test -f done\nmax_iterations: 9");
const run = "long-run-1";
// Sleeps for ever until the host has been asked to go on, then is done at once.
const files = { "w.yml": straight };
const slow = 'command:if [ -e "$HOME/quick" ]; then touch done; echo done; else exec sleep 60; fi';
const begin = { workflow: "w.yml", agent: slow, "run-id": run };

test("a run whose minutes are up pauses, and dispatches the next job with its id only", async () => {
  const host = await openRepository({ files });
  const first = await jobOf(host, { id: 11, inputs: { ...begin, "max-minutes": "0.02" } });
  expect(first.ok, first.log.join("\n")).toBe(true);
  expect(first.outputs).toMatchObject({ conclusion: "paused", "stop-reason": "time-limit" });
  expect(host.dispatches).toMatchObject([{ workflow: "loop.yml", ref: "main", inputs: { "run-id": run } }]);
  expect(Object.keys(host.dispatches[0]?.inputs ?? {})).toEqual(["run-id"]);
  expect(first.annotations.find(({ title }) => /to be continued/.test(title ?? ""))).toMatchObject({
    level: "notice",
    message: expect.stringContaining("was started to resume"),
  });
  const inputs = { command: "resume", "run-id": run, "max-minutes": "0.02" };
  const second = await jobOf(host, { id: 12, inputs });
  expect(second.outputs).toMatchObject({ conclusion: "paused", "stop-reason": "time-limit" });
  expect(host.dispatches).toHaveLength(2);
});

test("if no job can be started, the message names the line to add and the command to continue", async () => {
  const host = await openRepository({ files });
  host.workflows.add("another.yml");
  const inputs = { ...begin, "max-minutes": "0.02" };
  const result = await jobOf(host, { id: 11, inputs });
  expect(result.ok, result.log.join("\n")).toBe(true);
  expect(warningOf(result)).toMatchObject({
    message: expect.stringMatching(/no workflow .github\/workflows\/loop.yml on main.*`run-id: long-run-1`/),
  });
  const elsewhere = await jobOf(host, {
    id: 12,
    inputs: { ...inputs, "run-id": "long-run-2" },
    github: { workflow_ref: "other/repo/.github/workflows/loop.yml@refs/heads/main" },
  });
  expect(warningOf(elsewhere)?.message).toContain("`permissions: actions: write`");
});

test("a job that is stopped leaves its run at the host within seven seconds, and starts no other", async () => {
  const host = await openRepository({ files });
  const clone = await cloneOf(host);
  // The agent tells the program of the action to stop, as a runner would.
  const agent = 'command:date +%s%N > "$HOME/stopped"; kill -TERM $PPID; exec sleep 60';
  const result = await jobOf(host, { id: 11, inputs: { ...begin, agent, isolation: "off" }, clone });
  const stopped = Number(readFileSync(join(clone.path, "..", "stopped"), "utf8")) / 1e6;
  expect(Date.now() - stopped).toBeLessThan(7_000);
  expect(result.outputs, result.log.join("\n")).toMatchObject({
    conclusion: "paused",
    "stop-reason": "time-limit",
    "state-ref": `refs/until-green/${run}/state`,
  });
  expect(stateOf(host, run).status).toMatchObject({ summary: { state: "paused" } });
  expect(host.dispatches).toEqual([]);
});

function warningOf({ annotations }: Awaited<ReturnType<typeof jobOf>>) {
  return annotations.findLast(({ level }) => level === "warning");
}
