import { headAndTail } from "../../processes/bounded-output.ts";

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
