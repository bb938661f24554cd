import type { CliInvocation, CliProcess, CliResult } from "./cli/cli-definition.ts";
import { jsonIn, objectIn, textIn } from "./cli/fields.ts";
import type { JsonObject } from "./cli/json-lines.ts";
import { createMessageBuffer } from "./cli/message-buffer.ts";

/** Reads the messages of one call of Kimi Code; `sessionNow` looks up the conversation's id. */
export function createEventReader(
  turn: CliInvocation,
  sessionNow: () => string | undefined,
): Pick<CliProcess, "read" | "result"> {
  const messages = createMessageBuffer();
  let session: string | undefined;
  let version: string | undefined;
  let ended = false;
  let error: string | undefined;
  const readSession = () => {
    if (session !== undefined) return;
    session = sessionNow();
    if (session !== undefined) turn.began(session);
  };
  const readMessage = (message: JsonObject) => {
    const text = textIn(message, "content") ?? "";
    const calls = Array.isArray(message["tool_calls"]) ? (message["tool_calls"] as JsonObject[]) : [];
    if (text !== "") turn.say(text);
    if (text !== "" || calls.length === 0) messages.whole(text);
    for (const call of calls) {
      const called = objectIn(call, "function");
      turn.tool(textIn(called, "name") ?? "tool", jsonIn(called, "arguments"));
    }
  };
  return {
    read(event) {
      readSession();
      if (event["role"] === "assistant") readMessage(event);
      if (event["type"] === "system.version") version = textIn(event, "version");
      if (event["type"] === "session.resume_hint") ended = true;
      if (event["type"] === "turn.step.retrying") error = textIn(event, "error_name");
    },
    result: ({ stderr }): CliResult => {
      const failure = ended ? undefined : /^error: (.*)$/m.exec(stderr)?.[1];
      const isLost = /Session "[^"]*" not found/.test(failure ?? "");
      return {
        text: messages.text(),
        ended,
        session: session ?? sessionNow(),
        version,
        ...(isLost ? { lost: true } : {}),
        ...(failure === undefined
          ? {}
          : { trouble: { fault: error === "APIEmptyResponseError" ? "empty" : "crash", message: failure } }),
      };
    },
  };
}
