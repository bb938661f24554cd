import { describe, expect, test, vi } from "vitest";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";
import { openClone } from "../parts/clones.ts";
import { loopFile } from "../parts/terminal.ts";

const gated = loopFile(
  "prompt: 'work [$LOOP_USER_INPUT]'\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  "interactive: true\n",
);
const agent = 'command:read -r prompt; case "$prompt" in *maps*) echo DONE;; *) echo did;; esac';
const how = ["--store", "git", "--json"];
const id = "gated-run-0a1b2c3d";

test("a comment approves a gate with feedback, and a fresh clone continues from it", async () => {
  const { github, say, marks } = await openAppRepository({ "w.yml": gated });
  const clone = await openClone(github.git);
  const paused = await clone.run("run", "w.yml", "--agent", agent, "--run-id", id, ...how);
  expect(paused.code).toBe(3);
  const comment = await say("ada", `/workflow approve ${id}\nuse maps`);
  expect(github.dispatches).toMatchObject([
    { workflow: "until-green.yml", ref: "main", inputs: { "run-id": id, "comment-id": String(comment) } },
  ]);
  expect(JSON.stringify(github.dispatches)).not.toContain("maps");
  expect(marks(comment)).toEqual(["eyes", "rocket"]);
  const next = await openClone(github.git);
  expect((await next.run("resume", id, ...how)).code).toBe(0);
  const { events } = await next.run("status", id, ...how);
  expect(events.at(-1)).toMatchObject({ type: "run.ended", conclusion: "success" });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "gate.answered", decision: "approve", by: "ada", text: "use maps" }),
  );
  expect(github.git.git("fsck", "--strict")).toBe("");
});

test.each([
  ["reject", "rejected", "failure"],
  ["cancel", "cancelled", "cancelled"],
])("a comment may %s, and the job that is started closes the run as %s", async (verb, reason, conclusion) => {
  const { github, say } = await openAppRepository({ "w.yml": gated });
  const clone = await openClone(github.git);
  await clone.run("run", "w.yml", "--agent", agent, "--run-id", id, ...how);
  await say("ada", `/workflow ${verb} ${id} not like this`);
  expect(github.dispatches).toHaveLength(1);
  const next = await openClone(github.git);
  await next.run("resume", id, ...how);
  const { events } = await next.run("status", id, ...how);
  expect(events.at(-1)).toMatchObject({ type: "run.ended", conclusion, stop_reason: reason });
  expect(tipOf(github, id).events.at(-1)).toMatchObject({ type: "run.ended" });
});

test("a message reaches its step in the next iteration", async () => {
  const { github, say, marks } = await openAppRepository({ "w.yml": gated });
  const clone = await openClone(github.git);
  await clone.run("run", "w.yml", "--agent", agent, "--run-id", id, ...how);
  const comment = await say("ada", `/workflow tell ${id} fix\nuse maps`);
  expect(tipOf(github, id).events).toMatchObject([
    { type: "run.messaged", from: "ada", to: "fix", text: "use maps", comment: { id: comment } },
  ]);
  expect(marks(comment)).toContain("rocket");
});

test("a comment on an issue starts a run there, if its author may", async () => {
  const { github, home } = await openAppRepository({ ".github/loops/w.yml": gated });
  const { number } = await github.as("eve", "POST /issues", { title: "It breaks", body: "Mend it." });
  for (const login of ["eve", "ada"])
    await github.as(login, `POST /issues/${number}/comments`, { body: "/workflow run w" });
  await vi.waitFor(() => expect(github.dispatches).toHaveLength(1), { timeout: 10_000 });
  await home.app.deliveries.idle();
  expect(github.dispatches).toMatchObject([{ inputs: { workflow: "w", issue: String(number) } }]);
  expect(github.dispatches[0]?.inputs).not.toHaveProperty("pull");
  const answers = await github.as("ada", `GET /issues/${number}/comments`);
  expect(answers.map(({ body }: { body: string }) => body).join("\n")).toContain("the permission `write`");
});

describe("who may", () => {
  test.each([
    ["eve", "the permission `write`"],
    ["mal", "the permission `write`"],
  ])("%s may not", async (login, because) => {
    const { github, say, marks, replies } = await openAppRepository();
    seedRun(github, { run: id });
    const comment = await say(login, `/workflow approve ${id}`);
    expect(await replies()).toEqual([expect.stringContaining(because)]);
    expect(marks(comment)).toEqual(["eyes", "confused"]);
    expect(tipOf(github, id).state.seq).toBe(1);
    expect(github.dispatches).toEqual([]);
  });

  test("every command is refused while the host does not answer", async () => {
    const { github, say, replies } = await openAppRepository();
    seedRun(github, { run: id });
    github.fault(/\/(permission|graphql)$/, { status: 500 });
    await say("ada", `/workflow approve ${id}`);
    expect(await replies()).toEqual([expect.stringContaining("could not be checked")]);
    expect(tipOf(github, id).state.seq).toBe(1);
  });

  test.each([
    ["unless it is named", {}],
    ["also where nobody can tell whom the configuration names", { ".github/until-green.yml": "a: [" }],
  ])("a program is passed over in silence %s", async (_, files) => {
    const { github, say, marks, replies } = await openAppRepository(files);
    seedRun(github, { run: id });
    const comment = await say("github-actions[bot]", `/workflow approve ${id}`);
    expect(marks(comment)).toEqual([]);
    expect(await replies()).toEqual([]);
    expect(tipOf(github, id).state.seq).toBe(1);
  });

  test("the configuration names approvers, programs, and keeps authors out", async () => {
    const config =
      "approvers: [bob, octocat]\nexclude-author: true\nallow-bot-users: ['github-actions[bot]']\n";
    const { github, say, replies } = await openAppRepository({ ".github/until-green.yml": config });
    seedRun(github, { run: id });
    await say("ada", "/workflow approve");
    await say("octocat", "/workflow approve");
    await say("github-actions[bot]", "/workflow approve");
    expect(await replies()).toEqual([
      expect.stringContaining("only the approvers"),
      expect.stringContaining("the author of a pull request"),
      expect.stringContaining("only the approvers"),
    ]);
    await say("bob", "/workflow approve");
    expect(tipOf(github, id).events).toMatchObject([{ decision: "approve", by: "bob" }]);
  });

  test("where two must approve, the second decides", async () => {
    const { github, say, replies } = await openAppRepository({
      ".github/until-green.yml": "minimum-approvals: 2\n",
    });
    seedRun(github, { run: id });
    await say("ada", `/workflow approve ${id}`);
    await say("ada", `/workflow approve ${id}`);
    await say("eve", `/workflow approve ${id}`);
    expect(tipOf(github, id).state.seq).toBe(1);
    expect((await replies()).filter((text) => text.includes("1 more must approve"))).toHaveLength(2);
    await say("bob", `/workflow approve ${id} go`);
    expect(tipOf(github, id).events).toMatchObject([{ decision: "approve", by: "bob", text: "go" }]);
  });

  test("the reply to a second answer names who was first, also if the answer names no run", async () => {
    const { github, say, replies, marks } = await openAppRepository();
    seedRun(github, { run: id });
    await say("ada", "/workflow approve");
    const late = await say("bob", "/workflow reject not like this");
    expect(await replies()).toEqual(["😕 already decided by ada."]);
    expect(marks(late)).toEqual(["eyes", "confused"]);
    expect(tipOf(github, id).state.seq).toBe(2);
  });

  test("two commands in one comment are refused together, once", async () => {
    const { github, say, replies, marks } = await openAppRepository();
    seedRun(github, { run: id });
    const comment = await say("ada", `/workflow approve ${id}\r\n/workflow cancel ${id}\r\n`);
    expect(await replies()).toEqual([expect.stringContaining("write each in its own comment")]);
    expect(marks(comment)).toEqual(["eyes", "confused"]);
    expect(tipOf(github, id).state.seq).toBe(1);
  });

  test("an invalid configuration refuses everyone, and the reply names the line", async () => {
    const { github, say, replies } = await openAppRepository({
      ".github/until-green.yml": "allow-users: [ada]\nrequired-permision: read\n",
    });
    seedRun(github, { run: id });
    await say("octocat", `/workflow approve ${id}`);
    expect(await replies()).toEqual([expect.stringMatching(/line 2: .*required-permision/)]);
    expect(tipOf(github, id).state.seq).toBe(1);
  });
});
