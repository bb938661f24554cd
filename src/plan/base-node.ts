import { z } from "zod";
import { condition } from "../expressions/template.ts";
import type { Infer } from "../ports/infer.ts";
import { wallSettings } from "../ports/isolation.ts";
import { exitRule, storedFields } from "./sequence.ts";

/**
 * Which results of its dependencies let a node run. With `none_failed`, a dependency skipped by its condition blocks
 * no node; with `all_done`, neither does a failed one.
 */
const triggerRule = z.enum([
  "all_success",
  "one_success",
  "none_failed",
  "none_failed_min_one_success",
  "all_done",
]);

export type TriggerRule = Infer<typeof triggerRule>;

/** Retries after a failure. */
const retry = z.strictObject({
  times: z.int(),
  delayMs: z.number(),
  on: z.enum(["transient", "all"]),
  /** Each delay is twice the previous one. */
  grows: z.literal(true).exactOptional(),
  /** What the memory stores about the attempts once one succeeds. */
  leaves: storedFields.exactOptional(),
});

export type Retry = Infer<typeof retry>;

/** The fields of every kind of node. */
export const baseNode = z.strictObject({
  id: z.string(),
  after: z.array(z.string()),
  /** Nodes that it waits for regardless of how they end. */
  behind: z.array(z.string()).exactOptional(),
  when: condition.exactOptional(),
  trigger: triggerRule,
  retry: retry.exactOptional(),
  /** The isolation of its programs and those of its body. */
  walls: wallSettings.exactOptional(),
  /** It fails if files of the checkout change while it runs. */
  readOnly: z.literal(true).exactOptional(),
  /** Its failure is reported and counts as an empty output for later nodes. */
  mayFail: z.literal(true).exactOptional(),
  /** Its failure becomes a success with this exit. */
  catches: z.string().exactOptional(),
  /** Its exit if it reports none: that of the first rule that matches. */
  exits: z.array(exitRule).exactOptional(),
});
