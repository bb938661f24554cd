import type { ModelMessage } from "ai";
import { expect, test } from "vitest";
import { validMessages } from "../../../src/agents/api/valid-messages.ts";

const task: ModelMessage = { role: "user", content: "Fix it." };
const call = (toolCallId: string, toolName = "bash", input: unknown = {}) =>
  ({ type: "tool-call", toolCallId, toolName, input }) as const;
const result = (toolCallId: string, value = "ok", toolName = "bash") =>
  ({ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }) as const;
const says = (...content: Extract<ModelMessage, { role: "assistant" }>["content"][number][]): ModelMessage =>
  ({ role: "assistant", content }) as ModelMessage;
const answers = (...content: ReturnType<typeof result>[]): ModelMessage => ({ role: "tool", content });

test("an ordinary conversation is sent as it is", () => {
  const messages = [task, says(call("t1", "bash", { command: "ls" })), answers(result("t1"))];
  expect(validMessages(messages)).toEqual(messages);
});

test("a tool that cannot exist, an odd id and arguments that are no object are made acceptable", () => {
  const odd = "functions.bash:0";
  const [, assistant, answered] = validMessages([
    task,
    says(call(odd, "functions.bash", ["ls"]), call("é".repeat(90), "", null)),
    answers(result(odd, "a", "functions.bash"), result("é".repeat(90), "b", "")),
  ]);
  expect(assistant).toEqual(
    says(call("functions_bash_0", "functions_bash"), call("_".repeat(64), "unknown")),
  );
  expect(answered).toEqual(
    answers(result("functions_bash_0", "a", "functions_bash"), result("_".repeat(64), "b", "unknown")),
  );
});

test("calls that share an id get different ids, and each keeps its result", () => {
  const messages = [
    task,
    says(call("t1"), call("t1")),
    answers(result("t1", "a"), result("t1", "b")),
    says(call("t1")),
    answers(result("t1", "c")),
  ];
  expect(validMessages(messages)).toEqual([
    task,
    says(call("t1"), call("t1-2")),
    answers(result("t1", "a"), result("t1-2", "b")),
    says(call("t1-3")),
    answers(result("t1-3", "c")),
  ]);
});

test("blank messages, calls without a result and results without a call are left out", () => {
  const messages: ModelMessage[] = [
    task,
    says({ type: "text", text: "\n\n" }, call("t1")),
    answers(result("t1")),
    { role: "assistant", content: " " },
    says({ type: "text", text: " " }),
    answers(result("t7")),
    says({ type: "text", text: "I look." }, call("t2")),
  ];
  expect(validMessages(messages)).toEqual([
    task,
    says(call("t1")),
    answers(result("t1")),
    says({ type: "text", text: "I look." }),
  ]);
});

test("of many images the newest are sent, and the oldest leave ten at a time", () => {
  const file = { type: "file", data: { type: "data", data: "AAAA" }, mediaType: "image/png" } as const;
  const shown = (id: string) => {
    const content = [{ ...result(id), output: { type: "content" as const, value: [file] } }];
    const answered: ModelMessage = { role: "tool", content };
    return [says(call(id, "read")), answered];
  };
  const sent = (count: number) => {
    const messages = Array.from({ length: count }, (_, at) => shown(`t${at}`)).flat();
    return validMessages([task, ...messages]).filter((message) =>
      JSON.stringify(message).includes("image/png"),
    );
  };
  expect([19, 20, 21, 30, 31].map((count) => sent(count).length)).toEqual([19, 20, 11, 20, 11]);
});
