import type { ModelMessage } from "ai";
import { expect, test } from "vitest";
import { pruneContext } from "../../../src/agents/api/prune-context.ts";

const call = (id: number, bytes: number): readonly ModelMessage[] => [
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: `${id}`, toolName: "bash", input: {} }],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: `${id}`,
        toolName: "bash",
        output: { type: "text", value: "x".repeat(bytes) },
      },
    ],
  },
];
const task: ModelMessage = { role: "user", content: "Fix it." };
const conversation = (calls: number, bytes = 30_000) => [
  task,
  ...Array.from({ length: calls }, (_, id) => call(id, bytes)).flat(),
];
const tokensOf = (messages: readonly ModelMessage[]) => JSON.stringify(messages).length / 3;

test("a conversation that fits is sent as it is", () => {
  const messages = conversation(10);
  expect(pruneContext(messages, 200_000)).toBe(messages);
});

test("no request fills more than seven tenths of the window, and the newest output stays", () => {
  for (let calls = 1; calls <= 60; calls += 1) {
    const pruned = pruneContext(conversation(calls), 200_000);
    expect(tokensOf(pruned)).toBeLessThanOrEqual(200_000 * 0.7 * 1.01);
    expect(pruned).toHaveLength(calls * 2 + 1);
    expect(JSON.stringify(pruned.at(-1))).toContain("xxx");
    expect(pruned[0]).toEqual(task);
  }
});

test("most requests begin as the one before them did, so that they are read from the cache", () => {
  let changed = 0;
  let before: readonly ModelMessage[] = [];
  for (let calls = 1; calls <= 60; calls += 1) {
    const pruned = pruneContext(conversation(calls), 200_000);
    const start = JSON.stringify(pruned.slice(0, before.length));
    if (start !== JSON.stringify(before)) changed += 1;
    before = pruned;
  }
  expect(changed).toBeGreaterThan(0);
  expect(changed).toBeLessThanOrEqual(9);
});
