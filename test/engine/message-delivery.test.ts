import { expect, test } from "vitest";
import { decide } from "../../src/decisions/decide.ts";
import { viewOf } from "../../src/decisions/run-view.ts";
import { parseLogEvent } from "../../src/engine/log-events.ts";
import { stepNamed } from "../../src/engine/node-labels.ts";
import { replay } from "../../src/engine/replay.ts";
import { runId, type Stage, stage } from "../parts/stage.ts";

const rounds = `
name: t
steps:
  - { id: first }
  - id: rounds
    dependsOn: [first]
    loop: { maxIterations: 2, steps: [{ id: worker }] }
`;

const mailOf = (it: Stage) =>
  it
    .of("message.sent", "message.delivered", "message.dropped")
    .map(
      ({ type, from, to, text, reason }) =>
        `${type.slice(8)} ${from} → ${to}: ${text}${reason ? ` (${reason})` : ""}`,
    );

async function sending(to: string, source = rounds): Promise<Stage> {
  const it = stage(source, {
    agent: ({ node, iteration }) =>
      (node === "worker" && iteration === 1) || node === "solo"
        ? { text: "ok", sent: [{ to, text: "hello" }] }
        : "ok",
  });
  await it.begin();
  return it;
}

const sent = (to: string) => `sent rounds.0.worker → ${to}: hello`;

test("a message to a step's name waits for its next iteration", async () => {
  const it = await sending("worker");
  expect(mailOf(it)).toEqual([sent("worker"), "delivered rounds.0.worker → rounds.1.worker: hello"]);
  expect(it.prompts.at(-1)?.prompt).toContain("Message from rounds.0.worker:\nhello");
});

test("a message to a runtime label is read there", async () => {
  const it = await sending("rounds.1.worker");
  expect(mailOf(it)).toEqual([sent("rounds.1.worker"), "delivered rounds.0.worker → rounds.1.worker: hello"]);
});

test.each([
  ["a step that has ended", "first", "first has ended"],
  [
    "the step that sends it, which asks no more under this label",
    "rounds.0.worker",
    "rounds.0.worker has ended",
  ],
  ["a step that never begins", "rounds.7.worker", "the run has ended"],
  ["a loop of steps", "rounds", "rounds accepts no messages: name a step inside it"],
  ["nobody", "nobody", "there is no step nobody"],
])("a message to %s is dropped, and reported", async (_, to, reason) => {
  const dropped = `dropped rounds.0.worker → ${to}: hello (${reason})`;
  expect(mailOf(await sending(to))).toEqual([sent(to), dropped]);
});

test("a message to the coordinator is for people: reported, and not dropped", async () => {
  expect(mailOf(await sending("coordinator"))).toEqual([sent("coordinator")]);
});

test("people are reached by three names, unless a step has such a name", async () => {
  for (const to of ["people", "user"]) expect(mailOf(await sending(to))).toEqual([sent(to)]);
  const named = rounds.replace("id: first", "id: user").replace("[first]", "[user]");
  expect(mailOf(await sending("user", named))).toEqual([
    sent("user"),
    "dropped rounds.0.worker → user: hello (user has ended)",
  ]);
});

test("a message to a step that calls a workflow is dropped, and one to a step inside it waits", async () => {
  const calling = `${rounds.replace("steps:", "includes: { part: child }\nsteps:")}  - { id: inc, include: part, dependsOn: [rounds] }\n`;
  const child = "name: child\nsteps: [{ id: inner }]\n";
  const mail = async (to: string) => {
    const it = stage(calling, {
      workflows: { child },
      agent: ({ node, iteration }) =>
        node === "worker" && iteration === 1 ? { text: "ok", sent: [{ to, text: "hello" }] } : "ok",
    });
    await it.begin();
    return mailOf(it).slice(1);
  };
  expect(await mail("inc")).toEqual([
    "dropped rounds.0.worker → inc: hello (inc accepts no messages: name a step inside it)",
  ]);
  expect(await mail("inner")).toEqual(["delivered rounds.0.worker → inc.inner: hello"]);
  expect(await mail("inc.inner")).toEqual(["delivered rounds.0.worker → inc.inner: hello"]);
});

test("a message to a name of several running steps is dropped, with all of them named", async () => {
  const each =
    "name: t\nsteps:\n  - { id: solo, dependsOn: [] }\n  - { id: each, loop: { forEach: [1, 2], steps: [{ id: x }] } }\n";
  const it = await sending("x", each);
  expect(mailOf(it).at(-1)).toContain("(x may be any of each[0].x, each[1].x)");
});

test.each([
  ["worker", undefined],
  ["rounds.1.worker", undefined],
  ["rounds", "rounds accepts no messages: name a step inside it: worker"],
  ["nobody", "the workflow has no step nobody; it has first, worker, rounds"],
])("until-green tell to %s", async (step, refused) => {
  const it = stage(rounds);
  await it.begin();
  const [first = ""] = await it.store.read(runId);
  const session = replay([parseLogEvent(first)]);
  const at = "2026-01-01T00:00:00.000Z";
  const chosen = decide(viewOf(session), {
    kind: "tell",
    by: "ann",
    text: "hi",
    at,
    since: Date.parse(at),
    step,
  });
  expect("refused" in chosen ? chosen.because : undefined).toBe(refused);
});

test("a label and a path name the same step", () => {
  for (const name of ["worker", "rounds.0.worker", "each[0].worker", "each#1/worker", "inc.worker"])
    expect(stepNamed(name)).toBe("worker");
});
