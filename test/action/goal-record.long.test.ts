import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { annotationsOf } from "./checkout.ts";
import { openRepository } from "./github-job.ts";
import { useOnHost, writeGoal } from "./source.ts";

const goal = "until-green/inline";

test("asks no agent where the record of its goal cannot be read, and keeps the green pull request", async () => {
  const host = await openRepository({ files: { "a.txt": "red\n" } });
  const calls = join(mkdtempSync(join(tmpdir(), "calls-")), "calls");
  const night = async (agent: string) =>
    await useOnHost({
      host,
      inputs: {
        prompt: "Go",
        "until-bash": "grep -qx green a.txt",
        "max-iterations": "1",
        "agent-command": `echo x >> ${calls}; ${agent}; echo done`,
        publish: "pull-request",
      },
      event: "schedule",
    });
  await night("echo green > a.txt");
  const tip = host.git.git("rev-parse", goal);
  const isKept = () => {
    expect(host.git.git("rev-parse", goal)).toBe(tip);
    expect(existsSync(calls) && readFileSync(calls, "utf8")).toBe("x\n");
  };
  const refuses = async (...messages: readonly string[]) => {
    const refused = await night("echo red > a.txt");
    expect(refused.outputs, refused.log.join("\n")).toMatchObject({ conclusion: "failure", "run-id": "" });
    for (const text of messages) expect(annotationsOf(refused, "error")[0]?.message).toContain(text);
    isKept();
  };
  const message = "Resource not accessible by integration";
  host.fault(/^GET .*\/git\/ref\/until-green\/goals\//, { status: 403, message });
  await refuses(message, "permissions: contents: write");
  host.heal();
  await writeGoal(host, goal, "{");
  await refuses("no agent was called", `\`git push origin --delete refs/until-green/goals/${goal}\``);
  host.git.git("update-ref", "-d", `refs/until-green/goals/${goal}`);
  const last = await night("exit 9");
  expect(last.outputs, last.log.join("\n")).toMatchObject({ conclusion: "skipped", "head-sha": tip });
  isKept();
}, 120_000);
