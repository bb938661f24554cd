import type { AgentCall, Node, Section } from "../../plan/plan.ts";
import type { At, Shaped } from "../shape.ts";
import type { Visible } from "./expressions.ts";
import type { loopFields, stepFields } from "./schema.ts";

/** A step as far as it can be read by itself. */
export interface Draft {
  readonly id: string;
  readonly after: readonly string[];
  readonly at: At;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: Shaped<typeof stepFields>;
}

/** What a list of steps takes from what stands around it. */
export interface Around {
  /** Steps outside that expressions can name. */
  readonly outer: readonly string[];
  /** What stands in the prompt of every step, and of those that wait for none. */
  readonly every: readonly Section[];
  readonly entry: readonly Section[];
  readonly isInLoop: boolean;
}

/** What a step is made of besides its kind. */
export interface StepContext {
  readonly around: Around;
  readonly visible: Visible;
  /** What the step's dependencies gave, as its prompt shows it. */
  readonly given: readonly Section[];
  readonly base: Pick<Node, "id" | "after" | "trigger" | "when" | "retry">;
  /** How the step's agent is asked, the sections left to the step's kind. */
  readonly call: Omit<AgentCall, "sections">;
}

export interface LoopDraft {
  readonly draft: Draft;
  readonly at: At;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: Shaped<typeof loopFields>;
}
