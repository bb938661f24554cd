import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type GitHubHost, openGitHubHost } from "../parts/github-host/host.ts";
import { loopFile } from "../parts/terminal.ts";
import { annotationsOf } from "./checkout.ts";
import { stateOf } from "./github-job.ts";
import { commitOn, useOnHost, writeGoal } from "./source.ts";

const goal = "until-green/inline";
const files = { "a.txt": "red\n", "b.txt": "red\n", "c.txt": "red\n", "README.md": "# hello\n" };

/** A repository, and how often an agent was asked to work on it. */
async function repository(before: Readonly<Record<string, string>> = files) {
  const host = await openGitHubHost({ files: before });
  onTestFinished(() => host.close());
  const calls = join(mkdtempSync(join(tmpdir(), "calls-")), "calls");
  const night = async (agent: string, { event = "", ...more }: Readonly<Record<string, string>> = {}) => {
    const inputs = {
      prompt: "Go",
      "until-bash": "! grep -qx red *.txt && ! grep -q '<<<<' *.txt",
      "max-iterations": "1",
      "agent-command": `echo x >> ${calls}; ${agent}; echo done`,
      comment: "none",
      "check-run": "false",
      publish: "pull-request",
      "push-token": host.tokenOf("octocat"),
      ...more,
    };
    return await useOnHost({
      host,
      inputs,
      event: event || ("message" in more ? "workflow_dispatch" : "schedule"),
    });
  };
  return {
    host,
    night,
    log: calls,
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").length / 2 : 0),
  };
}

const fix = (...names: readonly string[]) => names.map((name) => `echo green > ${name}.txt`).join("; ");
const fixOne = "for f in a b c; do grep -qx red $f.txt && { echo green > $f.txt; break; }; done";
const show = (host: GitHubHost, path: string, ref = goal) => host.git.git("show", `${ref}:${path}`);
/** A pull request, once the host has worked out whether it fits on its base. */
async function pull(host: GitHubHost) {
  await host.as("octocat", "GET /pulls/1");
  return await host.as("octocat", "GET /pulls/1");
}

describe("a series of runs", () => {
  test("never replaces green work by a later failure, which it keeps in a ref and links", async () => {
    const { host, night } = await repository();
    const first = await night(fix("a", "b", "c"));
    expect(first.outputs, first.log.join("\n")).toMatchObject({ conclusion: "success" });
    const tip = host.git.git("rev-parse", goal);
    const second = await night("echo red > a.txt; echo junk > junk.txt", { message: "Once more" });
    expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "failure", "head-sha": tip });
    expect(host.git.git("rev-parse", goal)).toBe(tip);
    expect(await pull(host)).toMatchObject({ draft: false, state: "open" });
    const aside = `refs/until-green/${second.outputs["run-id"]}/attempt`;
    expect(show(host, "junk.txt", aside)).toBe("junk");
    const [comment] = await host.as("octocat", "GET /issues/1/comments");
    expect(comment.body).toContain(host.git.git("rev-parse", aside));
    expect(comment.body).toContain("the published work is green and this attempt is not");
  });

  test("asks no agent while its green pull request waits to be merged", async () => {
    const { host, night, calls } = await repository();
    await night(fix("a", "b", "c"));
    await commitOn(host, "main", { "other.txt": "o\n" });
    const second = await night(fix("a", "b", "c"));
    expect(second.ok, second.log.join("\n")).toBe(true);
    expect(second.outputs).toMatchObject({
      conclusion: "skipped",
      "stop-reason": "nothing-to-do",
      "pull-request-number": "1",
      branch: goal,
    });
    expect(annotationsOf(second, "notice")[0]?.message).toContain("pull request #1 is green");
    expect(calls()).toBe(1);
  });

  test("asks no agent for a message that each job of a schedule has", async () => {
    const { host, night, calls } = await repository();
    const message = "Fix it";
    const scheduled = { prompt: "$USER_MESSAGE", message };
    const asScheduled = async (agent: string) => await night(agent, { ...scheduled, event: "schedule" });
    await asScheduled(fix("a", "b", "c"));
    const second = await asScheduled(fix("a"));
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      conclusion: "skipped",
      "pull-request-number": "1",
    });
    expect(calls()).toBe(1);
    expect(host.git.git("for-each-ref", "refs/heads")).toContain(goal);
  });

  test("answers the sender of a message if the check is green before any agent reads it", async () => {
    const loop = loopFile(
      'prompt: $USER_MESSAGE\nuntil_bash: "! grep -qx red *.txt"\ncheck: { baseline: true }\nmax_iterations: 1',
    );
    const { night, calls } = await repository({ "a.txt": "green\n", ".github/loops/fix.yml": loop });
    const asked = await night("echo more > b.txt", {
      workflow: "fix",
      prompt: "",
      "until-bash": "",
      "max-iterations": "",
      message: "More",
    });
    expect(asked.outputs, asked.log.join("\n")).toMatchObject({
      conclusion: "skipped",
      "stop-reason": "nothing-to-do",
    });
    expect(annotationsOf(asked, "notice").map(({ message }) => message)).toContainEqual(
      expect.stringContaining("no agent read the `message`"),
    );
    expect(calls()).toBe(0);
  });

  test("continues from its own draft: three bugs, fixed one a night, are green after three nights", async () => {
    const { host, night, calls } = await repository();
    const nights = [await night(fixOne), await night(fixOne), await night(fixOne), await night(fixOne)];
    expect(nights.map(({ outputs }) => outputs["conclusion"])).toEqual([
      "failure",
      "failure",
      "success",
      "skipped",
    ]);
    expect(["a", "b", "c"].map((name) => show(host, `${name}.txt`))).toEqual(["green", "green", "green"]);
    expect(await pull(host)).toMatchObject({ draft: false });
    expect(host.git.git("rev-list", "--count", `main..${goal}`)).toBe("1");
    expect(calls()).toBe(3);
  });

  test("has the agent resolve what the base and its work have both changed, in the loop", async () => {
    const { host, night } = await repository();
    await night(fix("a"));
    await commitOn(host, "main", { "a.txt": "blue\n" });
    const second = await night(
      "grep -q '<<<<<<<' a.txt && echo turquoise > a.txt; echo green > b.txt; echo green > c.txt",
    );
    expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "success" });
    expect(show(host, "a.txt")).toBe("turquoise");
    expect(host.git.git("log", "-1", "--format=%P", goal)).toBe(host.git.git("rev-parse", "main"));
    expect(await pull(host)).toMatchObject({ draft: false, mergeable: true });
  });

  test("keeps what people pushed to its branch, also across a conflict with the base", async () => {
    const { host, night } = await repository();
    await night(fix("a"));
    const theirs = await commitOn(host, goal, { "b.txt": "theirs\n" });
    await commitOn(host, "main", { "b.txt": "ours\n" });
    const second = await night("grep -q '<<<<<<<' b.txt && echo both > b.txt; echo green > c.txt");
    expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "success" });
    expect(host.git.git("merge-base", theirs, goal)).toBe(theirs);
    expect(["a", "b", "c"].map((name) => show(host, `${name}.txt`))).toEqual(["green", "both", "green"]);
    expect(await pull(host)).toMatchObject({ draft: false, mergeable: true });
  });

  test("changes what people pushed to its branch, where the base stays as it was", async () => {
    const { host, night } = await repository();
    await night(fix("a", "b"));
    const theirs = await commitOn(host, goal, { "c.txt": "blue\n", "d.txt": "red\n" });
    const second = await night("grep -q blue c.txt && echo green > c.txt; echo green > d.txt");
    expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "success" });
    expect(host.git.git("log", "-1", "--format=%P", goal)).toBe(theirs);
    expect(["a", "b", "c", "d"].map((name) => show(host, `${name}.txt`))).toEqual(Array(4).fill("green"));
  });

  test("puts no red work on top of what people pushed to its green pull request", async () => {
    const { host, night, calls } = await repository();
    await night(fix("a", "b", "c"));
    const theirs = await commitOn(host, goal, { "theirs.txt": "t\n" });
    const second = await night("echo junk > junk.txt; echo red > a.txt", { message: "Once more" });
    expect(second.outputs).toMatchObject({ conclusion: "failure" });
    expect(host.git.git("rev-parse", goal)).toBe(theirs);
    expect(await pull(host)).toMatchObject({ draft: false });
    expect(calls()).toBe(2);
  });

  test("starts nothing while its pull request is closed, until the base changes", async () => {
    const { host, night, calls } = await repository();
    await night(fix("a"));
    await host.as("octocat", "PATCH /pulls/1", { state: "closed" });
    const second = await night(fix("a", "b", "c"));
    expect(second.outputs).toMatchObject({ conclusion: "skipped", "stop-reason": "nothing-to-do" });
    expect(annotationsOf(second, "notice")[0]?.message).toContain("pull request #1 was closed");
    expect(calls()).toBe(1);
    await commitOn(host, "main", { "other.txt": "o\n" });
    const third = await night(fix("b"));
    expect(third.outputs, third.log.join("\n")).toMatchObject({
      conclusion: "failure",
      "pull-request-number": "2",
    });
    expect(show(host, "a.txt")).toBe("red");
  });

  test("starts again from the base where the closed pull request holds commits of people that conflict with it", async () => {
    const { host, night, calls } = await repository();
    await night(fix("a"));
    await commitOn(host, goal, { "b.txt": "theirs\n" });
    await host.as("octocat", "PATCH /pulls/1", { state: "closed" });
    await commitOn(host, "main", { "b.txt": "red\nours\n" });
    const second = await night(fix("a", "b", "c"));
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      conclusion: "success",
      "pull-request-number": "2",
    });
    expect(show(host, "b.txt")).toBe("green");
    expect(host.git.git("log", "-1", "--format=%P", goal)).toBe(host.git.git("rev-parse", "main"));
    expect(calls()).toBe(2);
  });

  test("continues with what people push to the branch after they closed its pull request", async () => {
    const { host, night } = await repository();
    await night(fix("a"));
    await host.as("octocat", "PATCH /pulls/1", { state: "closed" });
    await host.as("octocat", "GET /pulls/1");
    const theirs = await commitOn(host, goal, { "b.txt": "green\n" });
    const second = await night(fix("c"));
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      conclusion: "success",
      "pull-request-number": "2",
    });
    expect(host.git.git("merge-base", theirs, goal)).toBe(theirs);
    expect(["a", "b", "c"].map((name) => show(host, `${name}.txt`))).toEqual(["green", "green", "green"]);
  });

  test("asks no agent while GitHub does not let it open a pull request, also after an earlier one was merged", async () => {
    const { host, night, calls } = await repository();
    await night(fix("a", "b", "c"));
    await pull(host);
    await host.as("octocat", "PUT /pulls/1/merge", { merge_method: "squash" });
    await commitOn(host, "main", { "d.txt": "red\n" });
    const message = "GitHub Actions is not permitted to create or approve pull requests.";
    host.fault(/^POST .*\/pulls$/, { status: 403, message });
    const refused = [await night(fix("d")), await night(fix("d"))];
    expect(refused.map(({ outputs }) => outputs["conclusion"])).toEqual(["failure", "failure"]);
    expect(annotationsOf(refused[1] as (typeof refused)[0], "error")[0]?.message).toContain(
      "No agent was called",
    );
    expect(calls()).toBe(2);
    host.heal();
    const last = await night(fix("d"));
    expect(last.outputs, last.log.join("\n")).toMatchObject({
      conclusion: "skipped",
      "pull-request-number": "2",
    });
    expect(calls()).toBe(2);
  });

  test("starts from a base that was rewritten from its first commit, and stays on record", async () => {
    const { host, night } = await repository();
    await night(fix("a"));
    const root = host.git.git("commit-tree", "main^{tree}", "-m", "Rewritten");
    host.git.git("update-ref", "refs/heads/main", root);
    await night(fix("a", "b"));
    expect(host.git.git("log", "-1", "--format=%P", goal)).toBe(root);
    const record = JSON.parse(host.git.git("show", `refs/until-green/goals/${goal}:goal.json`));
    expect(record.attempts).toHaveLength(2);
  });

  test("starts again when its pull request was merged", async () => {
    const { host, night } = await repository();
    await night(fix("a"));
    const { node_id: id } = await pull(host);
    await ready(host, id);
    await pull(host);
    await host.as("octocat", "PUT /pulls/1/merge", { merge_method: "squash" });
    const second = await night(fix("b"));
    expect(second.outputs, second.log.join("\n")).toMatchObject({ "pull-request-number": "2" });
    expect(host.git.git("diff", "--name-only", "main", goal)).toBe("b.txt");
  });

  test("leaves the goal to a run that is in progress, and takes it over when that one's job is gone", async () => {
    const { host, night, calls } = await repository();
    await night(fix("a"));
    const record = JSON.parse(host.git.git("show", `refs/until-green/goals/${goal}:goal.json`));
    expect(record).toMatchObject({ goal, attempts: [{ green: false, published: true }] });
    const claim = { run: "other-run", at: new Date().toISOString(), job: { run: 5, attempt: 1 } };
    const [attempt] = record.attempts;
    const attempts = ["one", "two", "three"].map((run) => ({ ...attempt, run }));
    const notes = [{ at: claim.at, by: "agent", text: "Look at b first" }];
    const text = JSON.stringify({ ...record, attempts, notes, claim });
    await writeGoal(host, goal, text);
    host.runs.set(5, { id: 5, status: "in_progress" });
    const second = await night(fixOne);
    expect(second.outputs).toMatchObject({ conclusion: "skipped" });
    expect(annotationsOf(second, "notice")[0]?.message).toContain("run other-run works on it");
    expect(calls()).toBe(1);
    host.runs.set(5, { id: 5, status: "completed" });
    const third = await night(fixOne);
    expect(third.outputs).toMatchObject({ conclusion: "failure", iterations: "1" });
    // What it will probably take is said before and after.
    const forecast = "Forecast from 3 earlier runs of this goal: 1 iteration (P10–P90)";
    expect(annotationsOf(third, "notice").map(({ message }) => message)).toContain(forecast);
    expect(third.summary).toContain(forecast);
    // People read what attempts noted.
    expect((await pull(host)).body).toContain("1. Look at b first (agent)");
    expect(show(host, "b.txt")).toBe("green");
  });

  test("holds its goal while it is paused: the next night resumes it, and begins no other run", async () => {
    const { host, night, calls, log } = await repository();
    // On a busy machine the time may be up before the agent is asked at all.
    const isAble = `${log}-able`;
    const slow = `if [ -e ${isAble} ]; then echo green > a.txt; else exec sleep 60; fi`;
    const first = await night(slow, { "max-minutes": "0.03" });
    expect(first.outputs, first.log.join("\n")).toMatchObject({ "stop-reason": "time-limit" });
    const asked = calls();
    writeFileSync(isAble, "");
    const second = await night("echo another", { "max-iterations": "1" });
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      "run-id": first.outputs["run-id"],
      conclusion: "failure",
    });
    expect(calls()).toBe(asked + 1);
    const refs = host.git.git("for-each-ref", "--format=%(refname)", "refs/until-green/*/state");
    expect(refs.split("\n")).toHaveLength(1);
    const record = JSON.parse(host.git.git("show", `refs/until-green/goals/${goal}:goal.json`));
    expect(record).not.toHaveProperty("claim");
    expect(record.attempts).toMatchObject([{ run: first.outputs["run-id"] }]);
  });

  test("keeps its goal for a run that waits for a person, but not for ever", async () => {
    const loop = "prompt: go\nuntil: DONE\nmax_iterations: 3\ninteractive: true\ngate_message: Look";
    const { host, night } = await repository({ ...files, "w.yml": loopFile(loop, "interactive: true\n") });
    const gated = { prompt: "", "until-bash": "", "max-iterations": "", workflow: "w.yml" };
    const first = await night("echo half > a.txt", gated);
    expect(first.outputs, first.log.join("\n")).toMatchObject({
      conclusion: "paused",
      "stop-reason": "gate",
    });
    const run = first.outputs["run-id"] ?? "";
    const second = await night("echo none", gated);
    expect(annotationsOf(second, "notice")[0]?.message).toContain(
      `run ${run} waits for a person to answer it`,
    );
    const third = await night("echo more > b.txt", { ...gated, "gate-timeout": "1ms" });
    expect(third.outputs, third.log.join("\n")).toMatchObject({ "stop-reason": "gate" });
    expect(third.outputs["run-id"]).not.toBe(run);
    expect(stateOf(host, run).status.summary).toMatchObject({
      state: "ended",
      conclusion: "cancelled",
      because: expect.stringContaining(
        "cancelled by until-green: nobody answered the question that it asked on",
      ),
    });
    const branch = "until-green/t";
    expect([show(host, "a.txt", branch), show(host, "b.txt", branch)]).toEqual(["half", "more"]);
    const kept = JSON.parse(host.git.git("show", `refs/until-green/goals/${branch}:goal.json`));
    expect(kept).toMatchObject({
      claim: { run: third.outputs["run-id"] },
      attempts: [{ run, green: false, reason: "unanswered" }],
    });
    // Its question is minimised, the new one is not.
    expect(host.minimized.size).toBe(1);
  });

  test.each([
    [{ cooldown: "6h" }, "the cooldown is not over yet"],
    [{ "stop-after": "1" }, "1 attempts in a row have failed"],
  ])("skips runs because of the limits %j, and starts when a person asks", async (limits, why) => {
    const { night, calls } = await repository();
    await night(fix("a"), limits);
    const second = await night(fixOne, limits);
    expect(second.outputs).toMatchObject({ conclusion: "skipped" });
    expect(annotationsOf(second, "notice")[0]?.message).toContain(why);
    await night(fixOne, { ...limits, message: "Go on" });
    expect(calls()).toBe(2);
  });

  test("opens no pull request while as many are open as `max-open` allows", async () => {
    const { host, night, calls } = await repository();
    await commitOn(host, "until-green/other", { "o.txt": "o\n" });
    await host.as("octocat", "POST /pulls", { title: "O", head: "until-green/other", base: "main" });
    const result = await night(fix("a"), { "max-open": "1" });
    expect(result.outputs).toMatchObject({ conclusion: "skipped" });
    expect(calls()).toBe(0);
  });
});

/** Takes a pull request out of its draft state. */
async function ready(host: GitHubHost, id: string): Promise<void> {
  const query = "mutation($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { x } }";
  const headers = { authorization: `Bearer ${host.tokenOf("octocat")}`, "content-type": "application/json" };
  const body = JSON.stringify({ query, variables: { id } });
  await fetch(`${host.origin}/api/graphql`, { method: "POST", headers, body });
}
