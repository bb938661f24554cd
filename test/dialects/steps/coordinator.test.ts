import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AgentError } from "../../../src/ports/agent.ts";
import { type Props, type Stage, stage } from "../../parts/stage.ts";

const seed = readFileSync(new URL("./seeds/loop-bidirectional.yml", import.meta.url), "utf8");
const coordinated = seed.replace(
  "agents:\n",
  'agents:\n  coordinator: { description: "You narrate and forward." }\n',
);

async function run(
  source: string,
  coordinate: (call: number, prompt: string) => ReturnType<NonNullable<Props["agent"]>>,
): Promise<Stage> {
  let calls = 0;
  const it = stage(source, {
    facts: { message: " build the shop\n" },
    agent({ node, role, iteration = 0, prompt }) {
      if (node === "coordinator") return coordinate(++calls, prompt);
      if (role === "judge") return { result: { done: iteration === 3 } };
      if (node === "setup") return "READY";
      return {
        text: `STAGE_${iteration}_DONE`,
        sent: [{ to: "coordinator", text: `STAGE_${iteration}: work` }],
      };
    },
  });
  await it.begin();
  return it;
}

const mailOf = (it: Stage) =>
  it
    .of("message.sent", "message.delivered", "message.dropped")
    .map(({ type, from, to, text }) => `${type.slice(8)} ${from} → ${to}: ${text}`);
const asked = (it: Stage, node: string) => it.prompts.filter((request) => request.node === node);

const readers = (steps: string) =>
  `Steps that read messages: ${steps}. Send one of them what it should know, by its name; one of a loop reads it in the next iteration. What you answer besides is for people to read.`;

test("the worked example with an agent as coordinator: it sees each stage, and its forwarded message is in the next prompt", async () => {
  const it = await run(coordinated, (call) => ({
    text: `stage ${call} is on its way`,
    sent: call === 1 ? [{ to: "worker", text: "mind the tests" }] : [],
  }));
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "judge", iterations: 3 });
  expect(mailOf(it)).toEqual([
    "sent loop-stages.0.worker → coordinator: STAGE_1: work",
    "sent coordinator → worker: mind the tests",
    "delivered coordinator → loop-stages.1.worker: mind the tests",
    "sent loop-stages.1.worker → coordinator: STAGE_2: work",
    "sent loop-stages.2.worker → coordinator: STAGE_3: work",
  ]);
  const [first] = asked(it, "coordinator");
  expect(first?.prompt).toBe(
    [
      "## Request\nbuild the shop",
      'You coordinate the workflow "loop-bidirectional". Its step loop-stages.0.worker has sent you this:',
      "## Message from loop-stages.0.worker\nSTAGE_1: work",
      readers("setup, worker"),
    ].join("\n\n"),
  );
  expect(first?.instructions).toBe("You narrate and forward.");
  expect(asked(it, "worker")[1]?.prompt).toContain("Message from coordinator:\nmind the tests");
  const narrated = it.of("agent.answered").filter(({ path }) => path.endsWith("!coordinator"));
  expect(narrated.map(({ path, text }) => `${path} ${text}`)[0]).toBe(
    "/loop-stages#1/worker!coordinator stage 1 is on its way",
  );
});

test.each([
  ["a bare name", "worker", "delivered", "loop-stages.1.worker"],
  ["the label of an iteration to come", "loop-stages.1.worker", "delivered", "loop-stages.1.worker"],
  ["the label of the one that has ended", "loop-stages.0.worker", "dropped", "loop-stages.0.worker"],
  ["the loop itself, which reads nothing", "loop-stages", "dropped", "loop-stages"],
])("it forwards to %s", async (...[, to, becomes, reader]) => {
  const it = await run(coordinated, (call) => ({
    text: "",
    sent: call === 1 ? [{ to, text: "mind the tests" }] : [],
  }));
  expect(mailOf(it)).toContain(`${becomes} coordinator → ${reader}: mind the tests`);
});

test("a coordinator that cannot answer is reported, and blocks no step", async () => {
  const it = await run(coordinated, () => new AgentError("crash", "it is ill"));
  expect(it.end()).toMatchObject({ conclusion: "success", iterations: 3 });
  expect(it.of("notice").map(({ code, path }) => `${code} ${path}`)[0]).toBe(
    "COORDINATOR_FAILED /loop-stages#1/worker!coordinator",
  );
});

test("without one of its own a file's messages are for people", async () => {
  const it = await run(seed, () => "never asked");
  expect(asked(it, "coordinator")).toEqual([]);
  expect(mailOf(it)).toHaveLength(3);
});

test("what a judge sends comes from the judge of its loop", async () => {
  const it = stage(seed, {
    agent({ role }) {
      if (role === "judge")
        return { text: "", result: { done: true }, sent: [{ to: "people", text: "done" }] };
      return "ok";
    },
  });
  await it.begin();
  expect(mailOf(it)).toEqual(["sent loop-stages.judge → people: done"]);
});

test("a judge without a verdict is asked again", async () => {
  const it = stage(seed, {
    agent: ({ role, prompt }) => {
      if (role !== "judge") return "ok";
      return prompt.includes("gave no verdict") ? '{"done": true}' : "It looks quite finished to me.";
    },
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "judge", iterations: 1 });
  expect(it.prompts.filter(({ role }) => role === "judge")).toHaveLength(2);
});

test("a judge whose result does not keep its own schema has given no verdict", async () => {
  const strict = seed.replace("required: [done]", "required: [done, reason]");
  const it = stage(strict, {
    agent: ({ role, iteration }) => {
      if (role !== "judge") return "ok";
      return { text: "", result: iteration === 1 ? { done: true } : { done: true, reason: "all there" } };
    },
  });
  await it.begin();
  expect(it.end()).toMatchObject({ conclusion: "success", stop_reason: "judge", iterations: 2 });
  expect(it.of("stop.tested")[0]?.because).toContain("no field reason");
});

test("a coordinator hears of a request only if there is one, and of each step that reads messages in any loop", async () => {
  const source = `
name: t
agents: { coordinator: { description: d } }
steps:
  - { id: first }
  - { id: inner, include: other }
  - { id: each, loop: { forEach: [1], steps: [{ id: one }] } }
  - { id: calls, loop: { forEach: [1], steps: [{ id: call, include: other }] } }
`;
  const it = stage(source, {
    facts: { message: " \n" },
    workflows: { other: "name: other\nsteps: [{ id: far }]\n" },
    agent: ({ node }) =>
      node === "first" ? { text: "ok", sent: ["a", "b"].map((text) => ({ to: "coordinator", text })) } : "ok",
  });
  await it.begin();
  expect(asked(it, "coordinator").map(({ prompt }) => prompt)).toEqual([
    [
      'You coordinate the workflow "t". Its step first has sent you this:',
      "## Message from first\na",
      "## Message from first\nb",
      readers("first, one"),
    ].join("\n\n"),
  ]);
});
