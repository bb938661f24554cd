import type { z } from "zod";
import type { Scope } from "../expressions/scope.ts";
import type { Answer, Ask, Port } from "../ports/effects.ts";
import type { Infer } from "../ports/infer.ts";
import type { Json } from "../ports/json.ts";
import type { TestInventory } from "../ports/tests.ts";

/** A stop's verdict on an iteration, with its reason as text for people. */
export interface Verdict {
  readonly verdict: "done" | "give-up" | "go-on";
  readonly because: string;
  /** The stop itself is broken: tested once more, then the loop fails with `check-unevaluable`. */
  readonly broken?: boolean;
  /** The answer was unusable; it is requested once more. */
  readonly silent?: boolean;
  /** A notice in addition to the verdict. */
  readonly notice?: { readonly code: string; readonly message: string };
}

/** The evidence of an iteration's work. */
export interface Evidence {
  /** The goal, as people wrote it. */
  readonly goal: string;
  /** All changes since the start of the loop, truncated if too long. */
  readonly patch: string | undefined;
  readonly before: TestInventory | undefined;
  readonly after: TestInventory | undefined;
  /** The end of the checks' output. */
  readonly check: string;
}

/** One iteration, as stops see it. */
export interface Iteration {
  readonly number: number;
  readonly loop: string;
  /** The final message as the agent wrote it, signal tags included. */
  readonly raw: string;
  /** The same without the tags of the declared signals. */
  readonly output: string;
  readonly result: Json | undefined;
  /** Signals given by tool call. */
  readonly signals: readonly string[];
  /** The exit of the body's last node. */
  readonly exit?: string | undefined;
  /** All iterations so far as text for a judge, this one last. */
  readonly history?: () => string;
  /** The evidence a judge gets besides the output. */
  readonly evidence?: Evidence;
  /** The scope after the iteration. */
  readonly scope: Scope;
}

/** A stop that judges from the iteration alone. */
export interface PureStop<Spec extends z.ZodType> {
  readonly spec: Spec;
  judge(spec: Infer<Spec>, iteration: Iteration): Verdict;
}

/** A stop that asks one question outside the engine and judges by the answer. */
export interface AskingStop<Spec extends z.ZodType, P extends Port> {
  readonly spec: Spec;
  readonly port: P;
  /** `attempt` counts from 1, the default. */
  ask(spec: Infer<Spec>, iteration: Iteration, attempt?: number): Ask<P>;
  read(spec: Infer<Spec>, answer: Answer<P>): Verdict;
  /** The verdict if there is no answer; without it, the loop fails. */
  unanswered?(spec: Infer<Spec>, because: string): Verdict | undefined;
}

export const pureStop = <S extends z.ZodType>(stop: PureStop<S>) => stop;
export const askingStop = <S extends z.ZodType, P extends Port>(stop: AskingStop<S, P>) => stop;
