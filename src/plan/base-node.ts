import type { Condition } from "../expressions/template.ts";
import type { WallSettings } from "../ports/isolation.ts";
import type { ExitRule, StoredFields } from "./sequence.ts";

/**
 * Which results of its dependencies let a node run. With `none_failed`, a dependency skipped by its condition blocks
 * no node; with `all_done`, neither does a failed one.
 */
export type TriggerRule =
  | "all_success"
  | "one_success"
  | "none_failed"
  | "none_failed_min_one_success"
  | "all_done";

/** The fields of every kind of node. */
export interface BaseNode {
  readonly id: string;
  readonly after: readonly string[];
  /** Nodes that it waits for without depending on how they end. */
  readonly behind?: readonly string[];
  readonly when?: Condition;
  readonly trigger: TriggerRule;
  readonly retry?: Retry;
  /** Behind which walls its programs run, with those of its body. */
  readonly walls?: WallSettings;
  /** It fails if the files of the checkout change while it runs. */
  readonly readOnly?: true;
  /** Its failure is reported and counts as an empty output for later nodes. */
  readonly mayFail?: true;
  /** Its failure becomes a success with this exit. */
  readonly catches?: string;
  /** Its exit if it reports none: that of the first rule that matches. */
  readonly exits?: readonly ExitRule[];
}

/** Retries after a failure. */
export interface Retry {
  readonly times: number;
  readonly delayMs: number;
  readonly on: "transient" | "all";
  /** Each delay is twice the previous one. */
  readonly grows?: true;
  /** What the memory keeps of the attempts once one of them succeeds. */
  readonly leaves?: StoredFields;
}
