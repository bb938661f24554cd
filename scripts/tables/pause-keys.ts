import type * as schema from "../../src/dialects/native/schema.ts";
import { text, type Words } from "./key.ts";

export const approval: Words<typeof schema.approvalFields> = {
  message: "**Required.** The question to the person.",
  capture_response: { what: "The approver's text becomes the node's output.", fallback: false },
  decisions: {
    what: "The decisions people can make, each with an `id` and a `label`; one must be `approve`. The node's output is `{decision, text}`. If `reject` is among them, a rejection does not end the run.",
    values: "list of mappings",
  },
  on_reject: {
    what: "Instead of ending the run, an agent reworks the result with the reason of the rejection. Then the gate opens again.",
    values: "mapping",
  },
};

export const onReject: Words<typeof schema.onRejectFields> = {
  prompt: "**Required.** The agent's prompt; `$REJECTION_REASON` is the person's reason.",
  max_attempts: { what: "Maximum number of reworks; the next rejection ends the run.", fallback: 3 },
};

export const wait: Words<typeof schema.waitFields> = {
  duration_ms: "Milliseconds; an interrupted wait starts again.",
  until: { what: "A time in UTC, such as `2026-12-24T18:00:00Z`, or `$id.output`.", values: text },
  event: {
    what: "The name of an event: the run pauses until somebody approves it; their text is the `payload` of the output.",
    values: text,
  },
  deadline_ms:
    "With `event`: an approval after this many milliseconds has the status `expired`. The run stays paused until then.",
  attention: {
    what: "Without `event`: the run pauses with this message until somebody approves it. With `event`: a message to the person who reports the event.",
    values: text,
  },
};
