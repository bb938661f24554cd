import { z } from "zod";

/** The comment that carried the command, with a hash of its text, so that a later edit is detected. */
const comment = z.strictObject({ id: z.int(), sha256: z.string() });

export type Comment = z.infer<typeof comment>;

const at = { at: z.string() };
const by = { by: z.string(), comment: comment.exactOptional() };

/** The events that record people's commands. Others than the process that drives the run write them too. */
export const commandEvents = [
  z.strictObject({
    ...at,
    type: z.literal("run.decided"),
    gate: z.string(),
    decision: z.enum(["approve", "reject"]),
    text: z.string(),
    ...by,
  }),
  z.strictObject({
    ...at,
    type: z.literal("run.messaged"),
    to: z.string(),
    from: z.string(),
    text: z.string(),
    comment: by.comment,
  }),
  z.strictObject({ ...at, type: z.literal("run.cancelled"), because: z.string(), ...by }),
  z.strictObject({
    ...at,
    type: z.literal("run.extended"),
    /** How many more iterations its loops may run; if absent, as many as the file allows. */
    iterations: z.int().min(1).max(1_000).exactOptional(),
    ...by,
  }),
  /** The run is to pause before its next iteration. */
  z.strictObject({ ...at, type: z.literal("run.pause-requested"), text: z.string(), ...by }),
] as const;

export type CommandEvent = z.infer<(typeof commandEvents)[number]>;

/** The types of those events. */
export const commandEventTypes: readonly string[] = commandEvents.map(({ shape }) => shape.type.value);

const types = new Set(commandEventTypes);

/** True if an event records a person's command. */
export const isCommandEvent = <T extends { readonly type: string }>(
  event: T,
): event is Extract<T, CommandEvent> => types.has(event.type);

/** Who gave a recorded command. */
export const speakerOf = (event: CommandEvent): string => ("from" in event ? event.from : event.by);

/** The words of a recorded command. */
export function wordsOf(event: CommandEvent): string {
  if (event.type === "run.cancelled") return event.because;
  if (event.type === "run.extended") return String(event.iterations ?? "");
  return event.text;
}
