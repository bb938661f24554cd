import type { AgentCall, Node, Section } from "../../plan/plan.ts";
import type { ParsedFields, SourcePath } from "../parse-fields.ts";
import type { Visible } from "./expressions.ts";
import type { loopFields, stepFields } from "./schema.ts";

/** A step, read separately from the others. */
export interface RawStep {
  readonly id: string;
  readonly after: readonly string[];
  readonly at: SourcePath;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: ParsedFields<typeof stepFields>;
}

/** The settings a list of steps inherits. */
export interface EnclosingContext {
  /** Outer steps that expressions can name. */
  readonly outer: readonly string[];
  /** Prompt sections of every step, and of steps without dependencies. */
  readonly every: readonly Section[];
  readonly entry: readonly Section[];
  readonly isInLoop: boolean;
}

/** The parts of a step that do not depend on its kind. */
export interface StepContext {
  readonly enclosing: EnclosingContext;
  readonly visible: Visible;
  /** The outputs of the step's dependencies, as sections of its prompt. */
  readonly sections: readonly Section[];
  readonly base: Pick<Node, "id" | "after" | "trigger" | "when" | "retry">;
  /** The agent call of a step, without the sections that depend on its kind. */
  readonly call: Omit<AgentCall, "sections">;
}

export interface RawLoop {
  readonly rawStep: RawStep;
  readonly at: SourcePath;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly fields: ParsedFields<typeof loopFields>;
}
