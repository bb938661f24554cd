import { expect, test } from "vitest";
import { noVerdict } from "../../../src/stops/judge.ts";
import { type Props, type Stage, stage } from "../../parts/stage.ts";

const source = `name: w
agents:
  j: { description: d, resultSchema: { properties: { done: { type: boolean }, score: { type: integer } }, required: [done, score] } }
steps: [{ id: a, instructions: Go., loop: { maxIterations: 2, untilAgent: j } }]
`;

async function judged(judge: NonNullable<Props["agent"]>): Promise<Stage> {
  const it = stage(source, {
    facts: { message: "" },
    agent: (request, ...rest) => (request.role === "judge" ? judge(request, ...rest) : "worked"),
  });
  await it.begin();
  return it;
}

const tested = (it: Stage) =>
  it.of("stop.tested").map(({ path, verdict, because }) => `${path} ${verdict}: ${because}`);
const askedTwice = ({ prompts }: Stage) =>
  prompts.flatMap(({ role, prompt }) => (role === "judge" ? [prompt.includes("asked this before")] : []));

test("a judge whose result violates its own schema is asked again, then gives no verdict", async () => {
  const it = await judged(({ iteration }) => ({
    result: { done: true, ...(iteration === 2 ? { score: 3 } : {}) },
  }));
  expect(tested(it)).toEqual([
    `/a#1?1 go-on: ${noVerdict}: the result has no field score`,
    "/a#2?1 done: the judge says it is done",
  ]);
  expect(askedTwice(it)).toEqual([false, true, false]);
});

test("a judge that answers in text is held to its schema too", async () => {
  const it = await judged((_, call) =>
    call === 2 ? '{"done": true, "score": "3"}' : '{"done": true, "score": 3}',
  );
  expect(tested(it)).toEqual(["/a#1?1 done: the judge says it is done"]);
  expect(askedTwice(it)).toEqual([false, true]);
});

test("a judge that answers with neither is asked again", async () => {
  const it = await judged((_, call) => (call === 2 ? "I cannot say." : '{"done": true, "score": 3}'));
  expect(tested(it)).toEqual(["/a#1?1 done: the judge says it is done"]);
  expect(askedTwice(it)).toEqual([false, true]);
});

test.each([
  ["its text", { text: "No.", result: { done: false, score: 1 } }, 'No.\n{"done":false,"score":1}'],
  ["its result", { text: " ", result: { done: false, score: 1 } }, '{"done":false,"score":1}'],
  ["both, if they say the same", { text: '{"score": 1, "done": false}' }, '{"score": 1, "done": false}'],
  [
    "both, word for word",
    { text: '{"done": false, "score": 1}', result: { done: false, score: 1 } },
    '{"done": false, "score": 1}',
  ],
])("the next iteration reads what the judge answered: %s", async (_, answer, text) => {
  const it = await judged(() => answer);
  expect(it.prompts.findLast(({ role }) => role === "worker")?.prompt).toBe(
    `## Output of iteration 1\nworked\n\n## What the judge said of iteration 1\n${text}\n\nGo.`,
  );
});
