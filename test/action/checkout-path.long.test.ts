import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { git } from "../../src/git/git.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { checkoutFrom, useOnHost } from "./source.ts";

/** A workspace with the checkout below it, as `actions/checkout` makes it with `path: src`. */
async function below(host: Awaited<ReturnType<typeof openGitHubHost>>): Promise<string> {
  const workspace = await mkdtemp(join(tmpdir(), "job-"));
  onTestFinished(() => rm(workspace, { recursive: true, force: true }));
  await rename(await checkoutFrom(host, "main"), join(workspace, "src"));
  return workspace;
}

test("a run in a checkout with `path` is kept at the host, where another job finds it", async () => {
  const loop = "name: g\nnodes:\n  - id: ask\n    approval: { message: ok? }\n";
  const host = await openGitHubHost({ files: { ".github/loops/g.yml": loop } });
  onTestFinished(() => host.close());
  const inputs = { "working-directory": "src", "run-id": "path-00001" };
  const first = await useOnHost({ host, workspace: await below(host), inputs: { ...inputs, workflow: "g" } });
  expect(first.outputs).toMatchObject({ conclusion: "paused" });
  expect(host.git.git("for-each-ref", "refs/until-green")).toContain("path-00001/state");
  const second = await useOnHost({
    host,
    workspace: await below(host),
    inputs: { ...inputs, command: "resume" },
  });
  expect(second.outputs).toMatchObject({ conclusion: "paused", "run-id": "path-00001" });
});

test("a checkout without the remote says that its run is kept on the runner only", async () => {
  const host = await openGitHubHost({ files: { "state.txt": "red\n" } });
  onTestFinished(() => host.close());
  const workspace = await checkoutFrom(host, "main");
  await git({ cwd: workspace, args: ["remote", "remove", "origin"] });
  const inputs = { prompt: "go", "until-bash": "test -f done", agent: "command:touch done; echo ok" };
  const result = await useOnHost({ host, workspace, inputs });
  expect(result.outputs).toMatchObject({ conclusion: "success" });
  expect(result.annotations.map(({ message }) => message).join("\n")).toContain(
    "Until then the run is kept on this runner only",
  );
});
