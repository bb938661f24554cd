import type { RunEvent } from "../engine/run-events.ts";

/** A message between steps and people, and its fate if known. */
export interface Message {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly dropped: string | undefined;
}

type Letter = Extract<RunEvent, { readonly type: "message.sent" | "message.delivered" | "message.dropped" }>;

/** The message an event sends or drops. */
export const messageOf = ({ from, to, text, reason }: Letter): Message => ({
  from,
  to,
  text,
  dropped: reason,
});

/** Sender and recipient, and whether it was read. */
export const addressed = ({ from, to, dropped }: Message): string =>
  `${from} to ${to}${dropped === undefined ? "" : ` (dropped: ${dropped})`}`;
