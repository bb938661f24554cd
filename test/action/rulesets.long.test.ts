import { expect, test } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf } from "./checkout.ts";
import { openRepository } from "./github-job.ts";
import { commitOn, useOnHost } from "./source.ts";

const goal = "until-green/inline";
const ruleset = { id: 7, name: "all branches" };
const nightOn =
  (host: GitHubHost) =>
  async (agent: string, more: Readonly<Record<string, string>> = {}) =>
    await useOnHost({
      host,
      inputs: {
        prompt: "Go",
        "until-bash": "! grep -qx red *.txt && ! grep -q '<<<<' *.txt",
        "max-iterations": "1",
        "agent-command": `${agent}; echo done`,
        publish: "pull-request",
        ...more,
      },
      event: "schedule",
    });

test.each(["git", "api"])(
  "a goal continues without force on a branch that GitHub's usual ruleset protects: by %s",
  async (mode) => {
    const host = await openRepository({ files: { "a.txt": "red\n", "b.txt": "red\n" } });
    const night = nightOn(host);
    const type = "non_fast_forward";
    host.rules.push({ type, branches: /./, ruleset }, { type: "deletion", branches: /./, ruleset });
    const first = await night("echo green > a.txt", { "commit-mode": mode });
    expect(first.outputs, first.log.join("\n")).toMatchObject({ conclusion: "failure", branch: goal });
    const before = host.git.git("rev-parse", goal);
    await commitOn(host, "main", { "c.md": "c\n" });
    const second = await night("echo green > b.txt", { "commit-mode": mode });
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      conclusion: "success",
      "pull-request-number": "1",
    });
    const main = host.git.git("rev-parse", "main");
    expect(host.git.git("log", "-1", "--format=%P", goal)).toBe(`${main} ${before}`);
    expect(host.git.git("diff", "--name-only", "main", goal)).toBe("a.txt\nb.txt");
    const third = await night("exit 9", { "commit-mode": mode });
    expect(third.outputs, third.log.join("\n")).toMatchObject({ conclusion: "skipped" });
  },
  120_000,
);

test("a rule that could not be seen before is named when the push is refused, and the work is published later", async () => {
  const host = await openRepository({ files: { "a.txt": "red\n" } });
  const night = nightOn(host);
  host.fault(/\/rules\/branches\//, { status: 403, message: "Resource not accessible by integration" });
  host.rules.push({ type: "creation", branches: /^until-green\//, ruleset, bypass: ["octocat"] });
  const refused = await night("echo green > a.txt");
  expect(refused.outputs, refused.log.join("\n")).toMatchObject({ conclusion: "failure", iterations: "1" });
  const message = annotationsOf(refused, "error")[0]?.message;
  expect(message).toContain(
    `rejected the push to ${goal}, because the repository's rules forbid it (Cannot create ref due to creations being restricted.)`,
  );
  expect(message).toContain("bypass list");
  const inputs = {
    command: "publish",
    "run-id": refused.outputs["run-id"] ?? "",
    publish: "pull-request",
    "push-token": host.tokenOf("octocat"),
  };
  const published = await useOnHost({ host, inputs });
  expect(published.outputs, published.log.join("\n")).toMatchObject({ "pull-request-number": "1" });
  expect(host.git.git("show", `${goal}:a.txt`)).toBe("green");
}, 120_000);
