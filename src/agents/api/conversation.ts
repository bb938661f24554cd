import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelMessage } from "ai";
import { sessionsFolder } from "../../ports/agent.ts";
import { makeFolder } from "../../processes/make-folder.ts";

/**
 * A conversation, stored as one line of JSON per message, so that it can continue on any machine and with any
 * provider.
 */
export interface Conversation {
  readonly id: string;
  /** True if it should be continued, but none of it is stored here. */
  readonly isLost: boolean;
  /** The messages so far. */
  messages(): readonly ModelMessage[];
  add(messages: readonly ModelMessage[]): void;
}

/** The conversation with this id, or a new one. */
export function openConversation(artifacts: string, session: string | undefined): Conversation {
  // An id from a log may be another agent's: it is used as a file name only if it looks like ours.
  const isPlain = session !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(session);
  const id = isPlain ? session : randomUUID();
  const file = join(artifacts, sessionsFolder, "api", `${id}.jsonl`);
  const messages = isPlain && existsSync(file) ? readMessages(file) : [];
  return {
    id,
    isLost: session !== undefined && messages.length === 0,
    messages: () => messages,
    add(added) {
      messages.push(...added);
      makeFolder(dirname(file));
      const text = added.map((message) => `${JSON.stringify(message)}\n`).join("");
      appendFileSync(file, text, { mode: 0o600 });
    },
  };
}

/** A truncated line is ignored. */
function readMessages(file: string): ModelMessage[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as ModelMessage];
      } catch {
        return [];
      }
    });
}
