import { expect, onTestFinished, test, vi } from "vitest";
import { openModelServer, scripted } from "../parts/model-server.ts";
import { annotationsOf } from "./checkout.ts";
import { eventFile, jobOf, openRepository } from "./github-job.ts";

vi.setConfig({ testTimeout: 300_000 });

test("a provider that says to come back in an hour frees the runner, and the sweep resumes the run after that hour", async () => {
  const model = await openModelServer();
  onTestFinished(() => model.close());
  const host = await openRepository({ files: { "state.txt": "red\n" } });
  const limited = { error: "rate_limit_error", status: 429, retryAfter: 3_600, times: 1 };
  const fixes = { tools: [{ name: "bash", args: { command: "echo green > state.txt" } }] };
  const prompt = scripted("Make it green.", [limited, fixes, { text: "It is green." }]);
  const keys = { "anthropic-api-key": "sk-ant-the-real-key-0123456789" };
  const env = { ANTHROPIC_BASE_URL: model.url };
  const night = { prompt, "until-bash": "grep -qx green state.txt", agent: "api", publish: "pull-request" };
  const github = eventFile("schedule", { repository: { default_branch: "main" } });

  const first = await jobOf(host, { id: 11, inputs: { ...night, ...keys }, env, github });
  const run = first.outputs["run-id"] ?? "";
  expect(first.outputs, first.log.join("\n")).toMatchObject({
    conclusion: "paused",
    "stop-reason": "rate-limit",
    iterations: "0",
  });
  expect(first.ok).toBe(true);
  // The provider was asked once, and nobody waited for it.
  expect(model.seen()).toHaveLength(1);
  expect(Number(first.outputs["duration-seconds"])).toBeLessThan(3_600);

  const sweep = async (id: number, hoursAhead: number) =>
    await jobOf(host, { id, inputs: { command: "sweep" }, hoursAhead, github });
  const early = await sweep(12, 0.5);
  expect(early.ok, early.log.join("\n")).toBe(true);
  expect(host.dispatches).toEqual([]);
  const due = await sweep(13, 1.1);
  expect(annotationsOf(due, "notice")[0]?.message, due.log.join("\n")).toContain(run);
  expect(host.dispatches).toMatchObject([{ workflow: "loop.yml", ref: "main", inputs: { "run-id": run } }]);

  const resume = { command: "resume", "run-id": run, publish: "pull-request", ...keys };
  const second = await jobOf(host, { id: 14, inputs: resume, env, hoursAhead: 1.1 });
  expect(second.outputs, second.log.join("\n")).toMatchObject({
    conclusion: "success",
    iterations: "1",
    "pull-request-number": "1",
  });
  expect(host.git.git("show", "until-green/inline:state.txt")).toBe("green");
});
