import type { RunEvent } from "../engine/run-events.ts";
import type { Message } from "./run-status-schema.ts";

export type { Message };

type MessageEvent = Extract<
  RunEvent,
  { readonly type: "message.sent" | "message.delivered" | "message.dropped" }
>;

/** The message that an event sends or drops. */
export const messageOf = ({ from, to, text, reason }: MessageEvent): Message => ({
  from,
  to,
  text,
  dropped: reason,
});

/** Sender and recipient, and whether it was read. */
export const addressed = ({ from, to, dropped }: Message): string =>
  `${from} to ${to}${dropped === undefined ? "" : ` (dropped: ${dropped})`}`;
