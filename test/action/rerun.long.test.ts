import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { annotationsOf } from "./checkout.ts";
import { jobOf, openRepository } from "./github-job.ts";
import { writeGoal } from "./source.ts";

// Each attempt of a job is a process with git and a server behind it.
vi.setConfig({ testTimeout: 180_000 });

interface Again {
  readonly id?: number;
  readonly "max-minutes"?: string;
}

/** A job whose workflow names the run by its own id, and how often it has asked an agent. */
async function jobWith(more: Readonly<Record<string, string>> = {}, otherwise = "true") {
  const host = await openRepository({ files: { "a.txt": "red\n" } });
  const folder = mkdtempSync(join(tmpdir(), "rerun-"));
  const [calls, isAble] = [join(folder, "calls"), join(folder, "able")];
  const attempt = async (number: number, { id = 11, ...again }: Again = {}) => {
    const inputs = {
      prompt: "Go",
      "until-bash": "grep -qx green a.txt",
      "max-iterations": "1",
      // The record keeps the command: a file says what it can do.
      "agent-command": `echo x >> ${calls}; if [ -e ${isAble} ]; then echo green > a.txt; else ${otherwise}; fi; echo done`,
      comment: "none",
      "check-run": "false",
      "run-id": "nightly-11",
      ...more,
      ...again,
    };
    return await jobOf(host, { id, inputs, github: { run_attempt: String(number) } });
  };
  return {
    host,
    attempt,
    enable: () => writeFileSync(isAble, ""),
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").length / 2 : 0),
  };
}

const goal = "until-green/inline";

describe("a re-run of a job that names its run", () => {
  test("gives a run more iterations that had used them up, and repeats none", async () => {
    const { attempt, calls, enable } = await jobWith();
    const first = await attempt(1);
    expect(first.outputs, first.log.join("\n")).toMatchObject({ "stop-reason": "max-iterations" });
    enable();
    const second = await attempt(2);
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      conclusion: "success",
      "run-id": "nightly-11",
      iterations: "2",
    });
    expect(calls()).toBe(2);
  });

  test("continues a run that its earlier attempt left paused", async () => {
    const { attempt, enable } = await jobWith({}, "exec sleep 600");
    const first = await attempt(1, { "max-minutes": "0.05" });
    expect(first.outputs, first.log.join("\n")).toMatchObject({ "stop-reason": "time-limit" });
    enable();
    const second = await attempt(2);
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      conclusion: "success",
      "run-id": "nightly-11",
    });
    expect(annotationsOf(second, "notice").map(({ message }) => message)).toContainEqual(
      expect.stringContaining("this re-run continues run nightly-11"),
    );
  });

  test("is green for a run that has succeeded, and publishes what the earlier attempt could not", async () => {
    const { host, attempt, calls, enable } = await jobWith({
      publish: "pull-request",
      title: "Fix {workflow}",
    });
    enable();
    host.fault(/^POST .*\/pulls$/, { status: 403, message: "not permitted to create" }, 1);
    const first = await attempt(1);
    expect(first.outputs, first.log.join("\n")).toMatchObject({ conclusion: "failure", branch: goal });
    const second = await attempt(2);
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      conclusion: "success",
      "run-id": "nightly-11",
      "pull-request-number": "1",
      "head-sha": host.git.git("rev-parse", goal),
    });
    expect(await host.as("octocat", "GET /pulls/1")).toMatchObject({ title: "Fix inline", draft: false });
    const third = await attempt(3);
    expect(third.ok, third.log.join("\n")).toBe(true);
    expect(calls()).toBe(1);
  });

  test("leaves the run of another workflow run alone", async () => {
    const { attempt, calls } = await jobWith();
    await attempt(1);
    const other = await attempt(2, { id: 12 });
    expect(annotationsOf(other, "error")[0]?.message).toContain("run nightly-11 already exists");
    expect(calls()).toBe(1);
  });

  test("claims its goal again, which another run may have meanwhile", async () => {
    const { host, attempt, calls, enable } = await jobWith({ publish: "pull-request" });
    await attempt(1);
    const ref = `refs/until-green/goals/${goal}`;
    const record = () => JSON.parse(host.git.git("show", `${ref}:goal.json`));
    const claim = { run: "other-run", at: new Date().toISOString(), job: { run: 5, attempt: 1 } };
    await writeGoal(host, goal, JSON.stringify({ ...record(), claim }));
    host.runs.set(5, { id: 5, status: "in_progress" });
    enable();
    const second = await attempt(2);
    expect(second.ok, second.log.join("\n")).toBe(false);
    expect(annotationsOf(second, "error")[0]?.message).toContain(
      `run nightly-11 was not resumed: run other-run works on its goal, the branch ${goal}`,
    );
    expect(calls()).toBe(1);
    host.runs.set(5, { id: 5, status: "completed" });
    const third = await attempt(3);
    expect(third.outputs, third.log.join("\n")).toMatchObject({ conclusion: "success", iterations: "2" });
    expect(host.git.git("log", "--format=%s", ref)).toContain("nightly-11 continues");
    expect(record()).not.toHaveProperty("claim");
    expect(record().attempts).toMatchObject([{ run: "nightly-11", green: true }]);
  });

  test("says what to do if the run cannot continue", async () => {
    const { attempt, calls } = await jobWith({}, "exit 7");
    await attempt(1);
    const second = await attempt(2);
    expect(second.ok).toBe(false);
    expect(annotationsOf(second, "error")[0]?.message).toContain("put `${{ github.run_attempt }}` into it");
    expect(calls()).toBe(1);
  });
});
