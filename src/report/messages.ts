import type { ToldEvent } from "../engine/told.ts";

/** A message between steps and people, and what became of it where that is known. */
export interface Message {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly dropped: string | undefined;
}

type Letter = Extract<ToldEvent, { readonly type: "message.sent" | "message.delivered" | "message.dropped" }>;

/** The message an event sends or drops. */
export const messageOf = ({ from, to, text, reason }: Letter): Message => ({
  from,
  to,
  text,
  dropped: reason,
});

/** Who wrote to whom, and whether it was in vain. */
export const addressed = ({ from, to, dropped }: Message): string =>
  `${from} to ${to}${dropped === undefined ? "" : ` (dropped: ${dropped})`}`;
