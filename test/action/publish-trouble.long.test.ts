import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { git } from "../../src/git/git.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf } from "./checkout.ts";
import { stateOf } from "./github-job.ts";
import { commitOn, useOnHost } from "./source.ts";

vi.setConfig({ testTimeout: 120_000 });

const loop = {
  prompt: "Go",
  "until-bash": "grep -qx green state.txt",
  "max-iterations": "1",
  "check-run": "false",
  publish: "pull-request",
  branch: "mended",
};

async function hostOf() {
  const host = await openGitHubHost({ users: { ann: "write" }, files: { "state.txt": "red\n" } });
  onTestFinished(() => host.close());
  return host;
}

test("a host that is away when the work is pushed, and when its pull request is opened, is asked again", async () => {
  const host = await hostOf();
  const run = "host-away-1";
  const hasEnded = () => {
    const isThere = host.git.git("for-each-ref", `refs/until-green/${run}/state`) !== "";
    return isThere && stateOf(host, run).status.summary.state === "ended";
  };
  host.git.fault = ({ kind }) =>
    kind === "push" && host.git.fired.length < 2 && hasEnded() ? "refuse" : undefined;
  host.fault(/^POST .*\/pulls$/, { drop: true }, 1);
  host.fault(/^POST .*\/labels$/, { status: 502 }, 1);
  const inputs = {
    ...loop,
    "run-id": run,
    labels: "bot",
    "agent-command": "echo green > state.txt; echo done",
  };
  const result = await useOnHost({ host, inputs });
  expect(result.outputs, result.log.join("\n")).toMatchObject({
    conclusion: "success",
    "pull-request-number": "1",
    "head-sha": host.git.git("rev-parse", "mended"),
  });
  expect(host.git.fired).toHaveLength(2);
  expect(await host.as("octocat", "GET /pulls")).toHaveLength(1);
});

test("a pull request whose reviewers and labels GitHub refuses is published, with a notice", async () => {
  const host = await hostOf();
  const message = "Reviews may only be requested from collaborators.";
  host.fault(/^POST .*\/requested_reviewers$/, { status: 422, message });
  host.fault(/^POST .*\/labels$/, { status: 403, message: "Resource not accessible by integration" });
  const inputs = {
    ...loop,
    labels: "bot",
    reviewers: "stranger",
    "agent-command": "echo green > state.txt; echo done",
  };
  const result = await useOnHost({ host, inputs });
  expect(result.outputs, result.log.join("\n")).toMatchObject({
    conclusion: "success",
    "pull-request-number": "1",
  });
  const notices = annotationsOf(result, "notice").map((one) => one.message);
  expect(notices).toContainEqual(
    expect.stringMatching(/^the reviewers were not requested: .*from collaborators\.$/),
  );
  expect(notices).toContainEqual(expect.stringMatching(/^the labels were not set: .*not accessible/));
});

test("where there is no commit to publish on, no agent is asked", async () => {
  const host = await hostOf();
  const workspace = await mkdtemp(join(tmpdir(), "empty-"));
  onTestFinished(() => rm(workspace, { recursive: true, force: true }));
  await git({ cwd: workspace, args: ["init", "--quiet"] });
  await git({ cwd: workspace, args: ["remote", "add", "origin", host.cloneUrl] });
  const inputs = { ...loop, "agent-command": "echo green | tee state.txt" };
  const result = await useOnHost({ host, workspace, inputs });
  expect(result.outputs).toMatchObject({ conclusion: "failure", "stop-reason": "internal", iterations: "0" });
  expect(annotationsOf(result, "error")[0]?.message).toMatch(/needs a checked-out commit.*actions\/checkout/);
  expect(existsSync(join(workspace, "state.txt"))).toBe(false);
});

test("a nested repository that an agent created is not published, and is named", async () => {
  const host = await hostOf();
  const commit = "git -c user.name=a -c user.email=a@example.com commit -qm first";
  const inputs = {
    ...loop,
    publish: "branch",
    "agent-command": `mkdir app; cd app; git init -q; echo a > a.txt; git add .; ${commit}; echo green > ../state.txt; echo done`,
  };
  const result = await useOnHost({ host, inputs });
  expect(result.outputs["conclusion"], result.log.join("\n")).toBe("success");
  expect(host.git.git("diff", "--name-only", "main", "mended")).toBe("state.txt");
  expect(annotationsOf(result, "notice")[0]?.message).toMatch(
    /^left out, because git does not store .* nested repository: app /,
  );
  expect(result.log.join("\n")).toMatch(/stored without their files: app/);
});

test("work on a branch that was moved elsewhere meanwhile is kept and published, also from a shallow checkout", async () => {
  const host = await hostOf();
  const before = host.git.git("rev-parse", "main");
  await commitOn(host, "main", { "more.txt": "m\n" });
  const moves = `git -C ${host.git.path} update-ref refs/heads/main ${before}`;
  const run = "moved-away-1";
  const inputs = { ...loop, "run-id": run, "agent-command": `${moves}; echo green > state.txt; echo done` };
  const result = await useOnHost({ host, inputs });
  expect(result.outputs, result.log.join("\n")).toMatchObject({
    conclusion: "success",
    "pull-request-number": "1",
  });
  expect(host.git.git("show", `refs/until-green/${run}/work:state.txt`)).toBe("green");
  expect(host.git.git("show", "mended:state.txt")).toBe("green");
});

test("a commit of ours that a person amended is theirs, and stays below the work of the next run", async () => {
  const host = await hostOf();
  const inputs = { ...loop, publish: "branch", "agent-command": "echo green > state.txt; echo done" };
  await useOnHost({ host, inputs });
  const tree = [{ path: "theirs.txt", content: "t\n", mode: "100644", type: "blob" }];
  const { sha } = await host.as("ann", "POST /git/trees", {
    base_tree: host.git.git("rev-parse", "mended"),
    tree,
  });
  const amended = await host.as("ann", "POST /git/commits", {
    message: host.git.git("log", "-1", "--format=%B", "mended"),
    tree: sha,
    parents: [host.git.git("rev-parse", "main")],
  });
  host.git.git("update-ref", "refs/heads/mended", amended.sha);
  const again = `${inputs["agent-command"]}; echo n > new.txt`;
  const result = await useOnHost({ host, inputs: { ...inputs, "agent-command": again } });
  expect(result.outputs["conclusion"], result.log.join("\n")).toBe("success");
  expect(host.git.git("rev-parse", "mended~1")).toBe(amended.sha);
  expect(host.git.git("show", "mended:theirs.txt")).toBe("t");
  expect(host.git.git("show", "mended:new.txt")).toBe("n");
});
