import { expect, test } from "vitest";
import { findJson } from "../../src/agents/json-answer.ts";

const block = (text: string) => `\`\`\`json\n${text}\n\`\`\``;

test.each([
  ['{"n": 1}', { n: 1 }],
  [`Here:\n${block('{"n": 1}')}`, { n: 1 }],
  [`${block('{"n": 1}')}\nThat is it.`, { n: 1 }],
  [`Not:\n${block('{"n": 1}')}\nbut\n${block('{"n": 2}')}`, { n: 2 }],
  [`Quoted:\n${block('{"n": 1}')}\nMine:\n{"n": 2}`, { n: 2 }],
  ["The number is\n42", 42],
  ["nothing", undefined],
])("in %j it is %j, for every role", (text, found) => {
  expect(findJson(text, "worker")).toEqual(found);
  expect(findJson(text, "judge")).toEqual(found);
});

test("a block amid other text is an answer of a worker, and a quotation of a judge", () => {
  const text = `It claims:\n${block('{"done": true}')}\nI do not believe it.`;
  expect(findJson(text, "worker")).toEqual({ done: true });
  expect(findJson(text, "judge")).toBeUndefined();
});
