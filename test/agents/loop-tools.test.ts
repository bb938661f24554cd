import { expect, test } from "vitest";
import { openLoopTools } from "../../src/agents/loop-tools.ts";
import type { AgentMessage, AgentRequest } from "../../src/ports/agent.ts";
import { ask } from "./agent.contract.ts";

const open = (some: Partial<AgentRequest>, inbox?: () => readonly AgentMessage[]) =>
  openLoopTools(ask(some), inbox === undefined ? {} : { inbox });
const offered = (some: Partial<AgentRequest>, inbox?: () => readonly AgentMessage[]) =>
  open(some, inbox).offered.map(({ name }) => name);

const schema = { type: "object", properties: { done: { type: "boolean" } }, required: ["done"] };

test.each([
  ["a worker outside of any loop", { iteration: undefined }, ["send_message"]],
  ["a worker in a loop without signals", {}, ["send_message", "checkpoint_note"]],
  [
    "a worker in a loop with signals",
    { completes: "DONE", fails: "STUCK" },
    ["complete_loop", "fail_loop", "send_message", "checkpoint_note"],
  ],
  ["a judge with a form to keep", { role: "judge", schema }, ["submit_result"]],
  ["a judge", { role: "judge" }, []],
] as const)("%s is offered what makes sense for it", (_, some, names) => {
  expect(offered(some)).toEqual(names);
});

test("an inbox is offered where there is one", () => {
  expect(offered({}, () => [])).toContain("read_inbox");
});

test("without a call nothing is reported", () => {
  expect(open({ completes: "DONE", schema }).answer()).toEqual({});
});

test("a call of complete_loop or fail_loop gives the loop's own signal, once", () => {
  const tools = open({ completes: "TESTS_PASS", fails: "STUCK" });
  for (const name of ["complete_loop", "fail_loop", "complete_loop"]) tools.call(name, { reason: "so" });
  expect(tools.answer()).toEqual({ signals: ["TESTS_PASS", "STUCK"] });
});

test.each([
  ["as an object", { result: { done: true } }],
  ["as JSON in a text", { result: '{"done": true}' }],
  ["without the field around it", { done: true }],
])("a result is taken %s", (_, args) => {
  const tools = open({ schema });
  expect(tools.call("submit_result", args)).toMatchObject({ isError: false });
  expect(tools.answer()).toEqual({ result: { done: true } });
});

test("a result that does not keep the schema is sent back with the reason, and the last good one stays", () => {
  const tools = open({ schema });
  tools.call("submit_result", { result: { done: false } });
  const reply = tools.call("submit_result", { result: { done: "yes" } });
  expect(reply).toMatchObject({
    isError: true,
    text: expect.stringContaining("the result.done is not of type"),
  });
  expect(tools.answer()).toEqual({ result: { done: false } });
});

test("of several results the first valid one counts, and the agent gets a reply that says so", () => {
  const tools = open({ schema });
  tools.call("submit_result", { result: { done: "no" } });
  tools.call("submit_result", { result: { done: false } });
  const reply = tools.call("submit_result", { result: { done: true } });
  expect(reply).toMatchObject({ isError: true, text: expect.stringContaining("that one counts") });
  expect(tools.answer()).toEqual({ result: { done: false } });
});

test("definitions that a schema refers to are found", () => {
  const shared = {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { type: "string" } },
  };
  const [tool] = open({ role: "judge", schema: shared }).offered;
  expect(tool?.schema).toMatchObject({ $defs: { a: { type: "string" } }, required: ["result"] });
});

test("messages are kept in order, and each one read is reported as read", () => {
  const waiting: AgentMessage[] = [{ from: "people", text: "hurry" }];
  const tools = open({}, () => waiting.splice(0));
  tools.call("send_message", { to: "review", text: "look" });
  expect(tools.call("read_inbox", {}).text).toBe("Message from people:\nhurry");
  expect(tools.call("read_inbox", {}).text).toBe("No new messages.");
  expect(tools.answer()).toEqual({
    sent: [{ to: "review", text: "look" }],
    read: [{ from: "people", text: "hurry" }],
  });
});

test("notes add up, and their end is kept where they are long", () => {
  const tools = open({});
  tools.call("checkpoint_note", { text: "one" });
  tools.call("checkpoint_note", { text: "two" });
  expect(tools.answer()).toEqual({ note: "one\n\ntwo" });
  tools.call("checkpoint_note", { text: `${"x".repeat(20_000)}end` });
  expect(tools.answer().note).toMatch(/^x+end$/);
});

test.each([
  ["send_message", { to: "review" }],
  ["send_message", { to: 1, text: "x" }],
  ["checkpoint_note", {}],
  ["checkpoint_note", "text"],
  ["submit_result", undefined],
  ["nonesuch", {}],
])("a call of %s with %j is an error that the model can fix", (name, args) => {
  const tools = open({ schema });
  expect(tools.call(name, args).isError).toBe(true);
  expect(tools.answer()).toEqual({});
});
