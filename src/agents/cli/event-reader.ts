import { headAndTail } from "../../processes/bounded-output.ts";
import type { ProcessEnd } from "../../processes/process.ts";
import type { CliInvocation, CliProcess, CliResult } from "./cli-definition.ts";
import { textIn } from "./event-fields.ts";
import type { JsonObject } from "./json-lines.ts";
import type { ModelMessage } from "./message-forms.ts";

type MutableResult = { -readonly [Field in keyof CliResult]: CliResult[Field] };

/** The state of a call after the events so far; a handler may set other parts of the result. */
export interface CallSoFar extends MutableResult {
  /** Call it once the conversation's id is known. */
  began(session: string | undefined): void;
  /** A chunk of the current message, shown live. */
  piece(text: string | undefined): void;
  /** A complete message. */
  whole(text: string): void;
  /** Marks the chunks so far as a complete message. */
  finishesMessage(): void;
  /** A complete message with its tool calls, without earlier chunks. */
  message(message: ModelMessage): void;
  /** Marks a successful end of the turn. */
  ends(): void;
  /** Reports a tool call. */
  tool(name: string | undefined, input: unknown): void;
}

/** An error that a program reports only on stderr, after a known prefix. */
export function failureIn({ stderr }: ProcessEnd, pattern: RegExp): Partial<CliResult> {
  const message = pattern.exec(stderr)?.[1]?.trim();
  if (message === undefined) return {};
  return { trouble: { fault: /empty response|only thinking/i.test(message) ? "empty" : "crash", message } };
}

type Handler = (event: JsonObject, call: CallSoFar) => void;

/**
 * Reads the events of one call. Each goes to the handler of its `type`, or of its `role` if it is a message in the
 * form of chat completions; events without a handler are ignored. `atEnd` adds what is known only at the end of the
 * process.
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

/** The agent's messages so far, readable before the turn has ended. */
export interface MessageBuffer {
  /** Adds a chunk of the current message. */
  piece(text: string): void;
  /** Adds a complete message, which replaces its earlier chunks. */
  whole(text: string): void;
  /** The last message, complete or not. */
  readonly text: () => string;
}

export function createMessageBuffer(): MessageBuffer {
  let last = "";
  let inFlight = headAndTail(limit);
  return {
    piece: (text) => inFlight.push(Buffer.from(text)),
    whole(text) {
      last = text;
      inFlight = headAndTail(limit);
    },
    text: () => (inFlight.total() > 0 ? inFlight.text() : last),
  };
}

const limit = 256 * 1024;
