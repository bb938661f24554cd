import type { ProcessEnd } from "../../processes/process.ts";
import type { CliInvocation, CliProcess, CliResult } from "./cli-definition.ts";
import { textIn } from "./event-fields.ts";
import type { JsonObject } from "./json-lines.ts";
import { createMessageBuffer } from "./message-buffer.ts";
import type { ModelMessage } from "./message-forms.ts";

type Known = { -readonly [Field in keyof CliResult]: CliResult[Field] };

/** What the events of one call have told so far; a handler may set the rest of the result. */
export interface CallSoFar extends Known {
  /** The conversation is known. */
  began(session: string | undefined): void;
  /** A piece of the current message, shown at once. */
  piece(text: string | undefined): void;
  /** A message, complete. */
  whole(text: string): void;
  /** What came in pieces was a message, and is complete. */
  finishesMessage(): void;
  /** The same of a message that no pieces of came before, with its calls of tools. */
  message(message: ModelMessage): void;
  /** The turn has ended well. */
  ends(): void;
  /** The agent calls a tool. */
  tool(name: string | undefined, input: unknown): void;
}

/** What a program says of its failure on standard error only, after words of its own. */
export function failureIn({ stderr }: ProcessEnd, words: RegExp): Partial<CliResult> {
  const message = words.exec(stderr)?.[1]?.trim();
  if (message === undefined) return {};
  return { trouble: { fault: /empty response|only thinking/i.test(message) ? "empty" : "crash", message } };
}

type Handler = (event: JsonObject, call: CallSoFar) => void;

/**
 * Reads the events of one call: each by the handler of its `type`, or of its `role` if it is a message in the form of
 * chat completions. Events without a handler are passed over. `atEnd` adds what only the end of the process tells.
 */
export function createEventReader(
  turn: CliInvocation,
  handlers: Readonly<Record<string, Handler>>,
  atEnd: (end: ProcessEnd, call: CallSoFar) => Partial<CliResult> = () => ({}),
): Pick<CliProcess, "read" | "result"> {
  const messages = createMessageBuffer();
  const call: CallSoFar = {
    text: "",
    ended: false,
    began(session) {
      if (session !== undefined && session !== call.session) turn.began(session);
      call.session = session ?? call.session;
    },
    piece(text) {
      if (text === undefined) return;
      messages.piece(text);
      turn.say(text);
    },
    whole: messages.whole,
    finishesMessage: () => messages.whole(messages.text()),
    message({ text, calls }) {
      if (text !== "") turn.say(text);
      if (text !== "" || calls.length === 0) messages.whole(text);
      for (const { name, input } of calls) call.tool(name, input);
    },
    ends() {
      call.ended = true;
    },
    tool: (name, input) => turn.tool(name ?? "tool", input),
  };
  return {
    read(event) {
      const kind = textIn(event, "type") ?? textIn(event, "role") ?? "";
      if (Object.hasOwn(handlers, kind)) handlers[kind]?.(event, call);
    },
    result(end) {
      call.text = messages.text();
      const { began, piece, whole, finishesMessage, message, ends, tool, ...known } = call;
      return { ...known, ...atEnd(end, call) };
    },
  };
}
