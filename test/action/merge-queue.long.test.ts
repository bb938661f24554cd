import { expect, test, vi } from "vitest";
import { loopFile } from "../parts/terminal.ts";
import { openRepository } from "./github-job.ts";
import { commitOn, pullOn, useOnHost } from "./source.ts";

vi.setConfig({ testTimeout: 180_000 });

/** A job of a merge queue, as GitHub starts it: on a branch that is gone once the queue has moved on. */
async function openQueue() {
  const loop = loopFile("prompt: go\nuntil_bash: grep -qx green a.txt\nmax_iterations: 9");
  const host = await openRepository({ files: { "a.txt": "red\n", "w.yml": loop } });
  await commitOn(host, "topic", { "new.txt": "new\n" });
  const { number } = await pullOn(host, "topic");
  const baseSha = host.git.git("rev-parse", "main");
  const branch = `gh-readonly-queue/main/pr-${number}-${baseSha}`;
  const merged = await commitOn(host, branch, { "new.txt": "new\n" });
  const payload = {
    action: "checks_requested",
    merge_group: {
      head_sha: merged,
      head_ref: `refs/heads/${branch}`,
      base_sha: baseSha,
      base_ref: "refs/heads/main",
      head_commit: { id: merged, message: `Merge pull request #${number}` },
    },
    repository: { full_name: host.repository, default_branch: "main" },
  };
  const queued = async (inputs: Readonly<Record<string, string>>) =>
    await useOnHost({
      host,
      inputs: { workflow: "w.yml", ...inputs },
      ref: branch,
      event: "merge_group",
      payload,
      github: {
        ref: `refs/heads/${branch}`,
        ref_name: branch,
        workflow_ref: `${host.repository}/.github/workflows/loop.yml@refs/heads/${branch}`,
      },
    });
  const heads = () => host.git.git("for-each-ref", "--format=%(refname)", "refs/heads").split("\n");
  return { host, branch, merged, queued, heads };
}

test("a run in a merge queue publishes a pull request into the branch that the queue merges into, and nothing to the queue", async () => {
  const { host, branch, merged, queued, heads } = await openQueue();
  const { outputs, log } = await queued({
    "agent-command": "echo green > a.txt; echo done",
    publish: "pull-request",
  });
  expect(outputs, log.join("\n")).toMatchObject({ conclusion: "success", "pull-request-number": "2" });
  expect(await host.as("octocat", "GET /pulls/2")).toMatchObject({ base: { ref: "main" } });
  expect(host.git.git("rev-parse", branch)).toBe(merged);
  expect(heads()).toEqual([
    `refs/heads/${branch}`,
    "refs/heads/main",
    "refs/heads/topic",
    "refs/heads/until-green/t",
  ]);
});

test("a run in a merge queue whose minutes are up is resumed on the branch that the queue merges into", async () => {
  const { host, branch, queued, heads } = await openQueue();
  host.workflows.add("loop.yml");
  const { outputs, log } = await queued({ "agent-command": "exec sleep 60", "max-minutes": "0.02" });
  expect(outputs, log.join("\n")).toMatchObject({ conclusion: "paused" });
  expect(host.dispatches).toMatchObject([{ workflow: "loop.yml", ref: "main" }]);
  expect(heads()).toEqual([`refs/heads/${branch}`, "refs/heads/main", "refs/heads/topic"]);
});
