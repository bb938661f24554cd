import { describe, expect, test } from "vitest";
import { openAppHome } from "../parts/app-home.ts";
import { openAppRepository, seedRun, tipOf } from "../parts/app-repository.ts";
import { buttonHook, commentHook, deliver } from "./hooks.ts";

const run = "twice-run-0a1b2c3d";
const nonce = "abcdefghij";

interface Delivery {
  readonly event: string;
  readonly hook: object;
  readonly delivery?: string;
}

const event = (comment: object): Delivery => ({ event: "issue_comment", hook: commentHook(comment) });

/** Two copies of the app, told of the same thing as often as a test says. */
async function openTwo(config?: string) {
  const place = await openAppRepository(config === undefined ? {} : { ".github/until-green.yml": config });
  const { github, home } = place;
  const other = await openAppHome(github);
  github.webhooks.url = undefined;
  const both = [home, other];
  return {
    ...place,
    /** At both of them at once. */
    async deliverOnce(delivery: Delivery): Promise<void> {
      await Promise.all(both.map(({ hooks }) => deliver(github, hooks, delivery)));
      await Promise.all(both.map(({ app }) => app.deliveries.idle()));
    },
    /** At one that has never heard of it. */
    async tellAgain(delivery: Delivery): Promise<void> {
      const fresh = await openAppHome(github);
      await deliver(github, fresh.hooks, delivery);
      await fresh.app.deliveries.idle();
    },
    write: (by: string, body: string) => github.as(by, "POST /issues/1/comments", { body }),
  };
}

describe("a button press that is delivered to two copies of the app, and again hours later,", () => {
  const delivery = "0b5c6f10-0000-4000-8000-0123456789ab";
  const press = async (identifier: string, by: string, seeded: object = {}) => {
    const { github, replies, deliverOnce: deliver, tellAgain } = await openTwo();
    seedRun(github, { run, gates: [{ nonce }], origin: { pull: 1 }, ...seeded });
    const delivered = { event: "check_run", hook: buttonHook(run, identifier, by), delivery };
    await deliver(delivered);
    const { seq } = tipOf(github, run).state;
    await tellAgain(delivered);
    expect(tipOf(github, run).state.seq).toBe(seq);
    return { github, replies: await replies() };
  };

  test.each(["approve", "reject", "stop"])("is executed once, without a reply: %s", async (verb) => {
    const { github, replies } = await press(`${verb}:${nonce}`, "ada");
    expect(github.dispatches).toHaveLength(1);
    expect(replies).toEqual([]);
  });

  test("gets no reply either when it is delivered again after the run that it stopped has ended", async () => {
    const summary = { conclusion: "cancelled", because: "cancelled by ada" };
    const { replies } = await press(`stop:${nonce}`, "ada", { state: "ended", gates: [], summary });
    expect(replies).toEqual([]);
  });

  test.each([
    ["may not", { by: "eve", seeded: {}, because: "the permission `write`" }],
    [
      "comes late",
      {
        by: "bob",
        seeded: { decided: [{ path: "/fix#1", by: "ada", nonce }], gates: [] },
        because: "already decided by ada",
      },
    ],
    ["finds the gate gone", { by: "bob", seeded: { gates: [] }, because: "gate is not open" }],
  ])("is answered once to one who %s", async (_, { by, seeded, because }) => {
    const { github, replies } = await press(`approve:${nonce}`, by, seeded);
    expect(replies).toEqual([expect.stringContaining(because)]);
    expect(github.dispatches).toEqual([]);
  });

  test("while another press of the same person is another word, and is answered", async () => {
    const { github, tellAgain, replies } = await openTwo();
    seedRun(github, { run, gates: [{ nonce }], origin: { pull: 1 } });
    for (const verb of ["approve", "reject"])
      await tellAgain({ event: "check_run", hook: buttonHook(run, `${verb}:${nonce}`, "ada") });
    expect(await replies()).toEqual([expect.stringMatching(/who pressed reject: already decided by ada/)]);
  });
});

describe("a comment that is delivered again", () => {
  test("without a run's id, by two copies at once and when its run has continued, gets no reply", async () => {
    const { github, deliverOnce: deliver, tellAgain, write, marks, replies } = await openTwo();
    seedRun(github, { run, origin: { pull: 1 } });
    const comment = await write("ada", "/workflow approve");
    await deliver(event(comment));
    seedRun(github, { run, state: "running", gates: [], origin: { pull: 1 } });
    await tellAgain(event(comment));
    expect(marks(comment.id)).toEqual(["eyes", "rocket"]);
    expect(await replies()).toEqual([]);
  });

  test("decides no other gate, even if one was open at the same time and its job has continued since", async () => {
    const { github, deliverOnce: deliver, tellAgain, write } = await openTwo();
    const gates = [{ path: "/a" }, { path: "/b", nonce }];
    seedRun(github, { run, gates, origin: { pull: 1 } });
    const comment = await write("ada", `/workflow approve ${run}`);
    await deliver(event(comment));
    const { decided } = tipOf(github, run).state.status;
    expect(decided).toMatchObject([{ path: "/a", source: String(comment.id) }]);
    seedRun(github, { run, gates: gates.slice(1), origin: { pull: 1 }, decided });
    await tellAgain(event(comment));
    expect(tipOf(github, run).events).toEqual([{ type: "seeded" }]);
    expect(github.dispatches).toHaveLength(1);
  });

  test("stays refused, whatever holds by then", async () => {
    const { github, deliverOnce: deliver, tellAgain, write, replies } = await openTwo();
    seedRun(github, { run, origin: { pull: 1 } });
    seedRun(github, { run: "other-run-0a1b2c3d", origin: { pull: 1 } });
    const unclear = await write("ada", "/workflow approve");
    const forbidden = await write("eve", `/workflow approve ${run}`);
    for (const comment of [unclear, forbidden]) await deliver(event(comment));
    seedRun(github, { run: "other-run-0a1b2c3d", state: "ended", gates: [], origin: { pull: 1 } });
    github.roles.set("eve", "write");
    for (const comment of [unclear, forbidden]) await tellAgain(event(comment));
    expect(tipOf(github, run).state.seq).toBe(1);
    expect(await replies()).toEqual([
      expect.stringContaining("several runs fit, name one"),
      expect.stringContaining("the permission `write`"),
    ]);
  });

  test("does not approve the gate that was shown again because of it", async () => {
    const { github, deliverOnce: deliver, tellAgain, write, replies } = await openTwo("moved-branch: show\n");
    seedRun(github, { run, gates: [{ head: "0".repeat(40), nonce }], origin: { pull: 1 } });
    const comment = await write("ada", `/workflow approve ${run}`);
    await deliver(event(comment));
    // Not even by a copy that cannot see that it was refused.
    github.reactions.length = 0;
    await tellAgain(event(comment));
    expect(tipOf(github, run).state).toMatchObject({ seq: 2, lines: 1 });
    expect((await replies())[0]).toContain("shown again");
    expect(github.dispatches).toEqual([]);
  });
});
