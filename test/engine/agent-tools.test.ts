import { describe, expect, test } from "vitest";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { startSession } from "../../src/engine/session.ts";
import { runId, stage } from "../parts/stage.ts";

const loop = (more: string, loop = "prompt: Fix it.") => `
name: t
nodes:
  - id: fix
    loop: { ${loop}, max_iterations: 4${more} }
`;
const twoInside = (more: string) =>
  loop(more, "nodes: [{ id: work, prompt: Work. }, { id: look, prompt: Look., depends_on: [work] }]");

describe("signals by tool call", () => {
  test("an agent in a loop learns which signals its calls give, one outside does not", async () => {
    const it = stage(`
name: t
nodes:
  - { id: first, prompt: Begin. }
  - id: fix
    depends_on: [first]
    loop: { prompt: Fix., until: DONE, fail_until: STUCK, max_iterations: 1, on_max: succeed }
`);
    await it.begin();
    expect(it.prompts[0]).not.toHaveProperty("completes");
    expect(it.prompts[1]).toMatchObject({ completes: "DONE", fails: "STUCK" });
  });

  test("a call ends the loop, without a word", async () => {
    const it = stage(loop(", until: DONE"), {
      agent: (_, call) => (call === 2 ? { text: "That was it.", signals: ["DONE"] } : "not yet"),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "signal", iterations: 2 });
  });

  test("a call gives the loop up", async () => {
    const it = stage(loop(", until: DONE, fail_until: STUCK"), {
      agent: () => ({ text: "No way.", signals: ["STUCK"] }),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ conclusion: "failure", stop_reason: "fail-signal" });
  });

  test("a call by any node of a body counts", async () => {
    const it = stage(twoInside(", until: DONE"), {
      agent: ({ node, iteration }) =>
        node === "work" && iteration === 2 ? { text: "done", signals: ["DONE"] } : "ok",
    });
    await it.begin();
    expect(it.prompts[0]).toMatchObject({ node: "work", completes: "DONE" });
    expect(it.end()).toMatchObject({ stop_reason: "signal", iterations: 2 });
  });

  test("a call in one iteration does not end the next", async () => {
    const it = stage(loop(", until: DONE, until_expr: 'iteration >= 3', until_mode: all"), {
      agent: (_, call) => (call === 1 ? { text: "early", signals: ["DONE"] } : "ok"),
    });
    await it.begin();
    expect(it.end()).toMatchObject({ stop_reason: "max-iterations" });
  });
});

describe("notes", () => {
  const note = "Your note from the iteration before:\n";

  test("are in the next iteration's prompt, and in that one only", async () => {
    const it = stage(loop(", on_max: succeed"), {
      agent: (_, call) => (call === 1 ? { text: "a", note: "tried x" } : "b"),
    });
    await it.begin();
    expect(it.prompts.map(({ prompt }) => prompt)).toEqual([
      "Fix it.",
      `Fix it.\n\n${note}tried x`,
      "Fix it.",
      "Fix it.",
    ]);
  });

  test("of a node in a body go to that node", async () => {
    const it = stage(twoInside(", on_max: succeed"), {
      agent: ({ node }) => ({ text: "ok", note: `from ${node}` }),
    });
    await it.begin();
    const second = it.prompts.slice(2, 4).map(({ node, prompt }) => [node, prompt]);
    expect(second).toEqual([
      ["work", `Work.\n\n${note}from work`],
      ["look", `Look.\n\n${note}from look`],
    ]);
  });

  test("come back on another machine: they are in the log", async () => {
    const it = stage(loop(", on_max: succeed"), { agent: (_, call) => ({ text: "ok", note: `n${call}` }) });
    await it.begin();
    const lines = await it.store.read(runId);
    const firstAnswer = lines.findIndex((line) => line.includes('"need.met"'));
    const again = stage(loop(", on_max: succeed"), {
      log: lines.slice(0, firstAnswer + 1),
      agent: () => "ok",
    });
    await again.resume();
    expect(again.prompts[0]?.prompt).toBe(`Fix it.\n\n${note}n1`);
  });
});

describe("the inbox", () => {
  const two = `
name: t
nodes:
  - { id: talker, prompt: Talk. }
  - { id: slow, prompt: Work. }
  - { id: last, prompt: End., depends_on: [talker, slow] }
`;

  /** Asks until there is something: the other node's answer is put on record meanwhile. */
  async function letters(inbox: () => readonly unknown[]) {
    for (let tries = 0; tries < 1000; tries += 1) {
      const found = inbox();
      if (found.length > 0) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return [];
  }

  test("delivers a message while its node is running, once, and reports it as delivered once it is read", async () => {
    const handed: unknown[] = [];
    const it = stage(two, {
      async agent({ node }, _, { inbox = () => [] }) {
        if (node === "talker") return { text: "ok", sent: [{ to: "slow", text: "stop that" }] };
        if (node !== "slow") return "ok";
        const read = await letters(inbox);
        handed.push(read, inbox());
        return { text: "ok", read: read as never };
      },
    });
    await it.begin();
    const letter = { from: "talker", text: "stop that" };
    expect(handed).toEqual([[letter], []]);
    const events = it.of("message.sent", "message.delivered", "message.dropped");
    expect(events.map(({ type }) => type)).toEqual(["message.sent", "message.delivered"]);
    expect(events[1]).toMatchObject({ to: "slow", ...letter });
    const session = startSession(parseLogEvent((await it.store.read(runId))[0] ?? "") as never);
    expect(session.inbox("/nowhere")).toEqual([]);
  });

  test("a message delivered to a call without an answer stays undelivered", async () => {
    const it = stage(two, {
      async agent({ node }, _, { inbox = () => [] }) {
        if (node === "talker") return { text: "ok", sent: [{ to: "slow", text: "stop that" }] };
        if (node === "slow") await letters(inbox);
        return "ok";
      },
    });
    await it.begin();
    const events = it.of("message.delivered", "message.dropped");
    expect(events.map(({ type }) => type)).toEqual(["message.dropped"]);
  });
});
