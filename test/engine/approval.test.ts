import { expect, test } from "vitest";
import { stage } from "../parts/stage.ts";

const approval = (fields: string) => `
name: t
interactive: true
nodes:
  - { id: plan, prompt: plan }
  - { id: ok, depends_on: [plan], approval: { message: "Go with $plan.output?", ${fields} } }
`;

test("a person is asked with the full text for people, and with the question alone", async () => {
  const it = stage(approval("capture_response: true"));
  const session = await it.begin();
  const asked = [...session.effects.values()].map(({ port, path, ask }) => ({ port, path, ask }));
  const [opened] = it.of("gate.opened");
  expect(opened).toMatchObject({ path: "/ok", node: "ok", question: "Go with did plan?" });
  expect(opened?.message).toMatch(/^Go with did plan\?\n\nRun: test-run\n/);
  expect(asked).toEqual([
    {
      ...{ port: "human", path: "/ok" },
      ask: { node: "ok", message: opened?.message, question: opened?.question },
    },
  ]);
});

test("after a rejection, the node's agent works again, and the next question shows what it did", async () => {
  const it = stage(approval('on_reject: { prompt: "again: $REJECTION_REASON", max_attempts: 2 }'));
  await it.begin();
  await it.decide("reject", "too big");
  expect(it.prompts.at(-1)).toMatchObject({ node: "ok", prompt: "again: too big" });
  const [first, second] = it.of("gate.opened").map(({ message }) => message);
  expect(first).not.toContain("> ");
  expect(second).toMatch(/^Go with did plan\?\n\n> did again: too big\n/);
  await it.decide("approve");
  expect(it.end()).toMatchObject({ conclusion: "success" });
});
