import type { z } from "zod";
import type { Scope } from "../expr/scope.ts";
import type { Json } from "../ports/json.ts";
import type { Answer, Ask, Port } from "../ports/questions.ts";

/** What a stop says of an iteration, and why, in words for people. */
export interface Verdict {
  readonly verdict: "done" | "give-up" | "go-on";
  readonly because: string;
  /** The stop itself is broken: asked once more, then the loop fails with `check-unevaluable`. */
  readonly broken?: boolean;
  /** The answer said nothing of use, and is asked for once more. */
  readonly silent?: boolean;
  /** What people should know of it beside the verdict. */
  readonly notice?: { readonly code: string; readonly message: string };
}

/** What one iteration left behind for the stops to look at. */
export interface Iteration {
  readonly number: number;
  readonly loop: string;
  /** The final message as the agent wrote it, tags included. */
  readonly raw: string;
  /** The same without the tags of the declared signals. */
  readonly output: string;
  readonly result: Json | undefined;
  /** Signals given by tool call. */
  readonly signals: readonly string[];
  /** The exit by which the last node of the body left. */
  readonly exit?: string | undefined;
  /** Everything so far as a judge may read it, this iteration last. */
  readonly history?: () => string;
  /** Names as they stand after the iteration. */
  readonly scope: Scope;
}

/** A stop that judges from the iteration alone. */
export interface PureStop<Spec extends z.ZodType> {
  readonly spec: Spec;
  judge(spec: z.infer<Spec>, iteration: Iteration): Verdict;
}

/** A stop that must first ask the world one question. */
export interface AskingStop<Spec extends z.ZodType, P extends Port> {
  readonly spec: Spec;
  readonly port: P;
  /** `attempt` counts from 1, which it is where left out. */
  ask(spec: z.infer<Spec>, iteration: Iteration, attempt?: number): Ask<P>;
  read(spec: z.infer<Spec>, answer: Answer<P>): Verdict;
  /** What it means that no answer came; the loop fails where this says nothing. */
  unanswered?(spec: z.infer<Spec>, because: string): Verdict | undefined;
}

export const pureStop = <S extends z.ZodType>(stop: PureStop<S>) => stop;
export const askingStop = <S extends z.ZodType, P extends Port>(stop: AskingStop<S, P>) => stop;
