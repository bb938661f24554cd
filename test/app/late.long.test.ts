import { expect, test } from "vitest";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";
import { openClone } from "../parts/clones.ts";
import { loopFile } from "../parts/terminal.ts";
import { buttonHook, commentHook, deliver } from "./hooks.ts";

const gated = loopFile(
  "prompt: 'work [$LOOP_USER_INPUT]'\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  "interactive: true\n",
);
const agent = 'command:read -r prompt; case "$prompt" in *maps*) echo DONE;; *) echo did;; esac';
const how = ["--store", "git", "--json"];
const run = "late-run-0a1b2c3d";

test("a comment that arrives days late, and twice, gets one reply with who decided and which gate is open now", async () => {
  const { github, home, replies } = await openAppRepository({ "w.yml": gated });
  const clone = await openClone(github.git);
  await clone.run("run", "w.yml", "--agent", agent, "--run-id", run, ...how);
  const [gate] = tipOf(github, run).state.status.gates;
  // The host's own webhooks do not come: what comes, and when, is said here.
  github.webhooks.url = undefined;
  const write = (by: string, body: string) => github.as(by, "POST /issues/1/comments", { body });
  const come = async (comment: unknown) => {
    await deliver(github, home.hooks, { event: "issue_comment", hook: commentHook(comment) });
    await home.app.deliveries.idle();
  };
  const one = await write("bob", `/workflow reject ${run}`);
  const two = await write("bob", `/workflow approve ${run}`);

  const three = await write("ada", `/workflow approve ${run}`);
  await come(three);
  await (await openClone(github.git)).run("resume", run, ...how);
  const { status } = tipOf(github, run).state;
  expect(status.decided).toEqual([{ path: gate.path, by: "ada", nonce: gate.nonce, source: `${three.id}` }]);
  for (const late of [two, two]) await come(late);
  const since = `; open now: \`${status.gates[0].path}\``;
  expect(await replies()).toEqual([`😕 already decided by ada${since}.`]);

  await come(await write("ada", `/workflow approve ${run} use maps`));
  expect((await (await openClone(github.git)).run("resume", run, ...how)).code).toBe(0);
  for (const late of [one, two, one]) await come(late);
  expect((await replies()).slice(1)).toEqual([`😕 already decided by ada; run ${run} has ended.`]);
  expect(github.dispatches).toHaveLength(2);
});

test.each([
  ["goes on to its next gate", { gates: [{ path: "/fix#2" }] }, "; open now: `/fix#2`"],
  ["works", { gates: [], state: "running" }, ""],
  ["has ended", { gates: [], state: "ended" }, `; run ${run} has ended`],
] as const)(
  "a button that knows only its nonce is answered with who decided when the run %s",
  async (_, seeded, since) => {
    const { github, home, replies } = await openAppRepository();
    const decided = [
      { path: "/fix#1", by: "ada", nonce: "abcdefghij" },
      { path: "/other", by: "bob", nonce: "klmnopqrst" },
    ];
    seedRun(github, { run, origin: { pull: 1 }, decided, ...seeded });
    const press = (nonce: string) =>
      deliver(github, home.hooks, {
        event: "check_run",
        hook: buttonHook(run, `approve:${nonce}`, "octocat"),
      });
    await press("abcdefghij");
    await home.app.deliveries.idle();
    expect(await replies()).toEqual([
      `😕 To \`octocat\`, who pressed approve: already decided by ada${since}.`,
    ]);
    await press("0000000000");
    await home.app.deliveries.idle();
    expect((await replies())[1]).toMatch(/gate is not open|has ended already/);
    expect(github.dispatches).toEqual([]);
  },
);

test("a forged name in a record is shown without a mention and without markup", async () => {
  const { github, say, replies } = await openAppRepository();
  const by = "@bob ![x](https://evil.example/x.png) <b>";
  seedRun(github, { run, gates: [], decided: [{ path: "/`@bob`", by }] });
  await say("ada", `/workflow approve ${run}`);
  await say("ada", `/workflow approve --gate /none ${run}`);
  const [comments, other] = await replies();
  expect(comments).toMatch(/^😕 already decided by @&#8203;bob !\\\[x\\\]/);
  expect(comments).not.toMatch(/@bob|<b>|https:\/\//);
  expect(other).toBe("😕 that gate is not open.");
});
