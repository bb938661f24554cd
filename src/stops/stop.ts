import type { z } from "zod";
import type { Scope } from "../expressions/scope.ts";
import type { Answer, Ask, Port } from "../ports/effects.ts";
import type { Infer } from "../ports/infer.ts";
import type { Json } from "../ports/json.ts";
import type { TestInventory } from "../ports/tests.ts";
import type { StopKey } from "./stop-key.ts";

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

/** What people read about a stop. */
interface StopWords {
  /** Before a verdict's reason: `signal`. */
  readonly name: string;
  /** In a plan, after "until": `the check passes`. */
  readonly until: string;
  /** Why a loop that it ended has ended, at the end of a sentence: `the check passed`. */
  readonly ended: string;
}

/** Everything about a stop but its verdict. Docs, schemas, events and status get it from here. */
export interface StopDescription<Spec extends z.ZodType = z.ZodType> {
  /** Its form in a plan; the `kind` is the public stop reason. */
  readonly spec: Spec;
  readonly words: StopWords;
  /** It ends a loop as failed; otherwise as done. */
  readonly givesUp?: true;
  readonly key?: StopKey<Infer<Spec>, z.ZodType>;
  /** How it is written, if only in other languages than the native one; in Markdown. */
  readonly writtenAs?: string;
}

/** A stop that judges from the iteration alone. */
export interface PureStop<Spec extends z.ZodType> extends StopDescription<Spec> {
  judge(spec: Infer<Spec>, iteration: Iteration): Verdict;
}

/** A stop that asks one question outside the engine and judges by the answer. */
export interface AskingStop<Spec extends z.ZodType, P extends Port> extends StopDescription<Spec> {
  readonly port: P;
  /** `attempt` counts from 1, the default. */
  ask(spec: Infer<Spec>, iteration: Iteration, attempt?: number): Ask<P>;
  read(spec: Infer<Spec>, answer: Answer<P>): Verdict;
  /** The verdict if there is no answer; without it, the loop fails. */
  unanswered?(spec: Infer<Spec>, because: string): Verdict | undefined;
}

/** The types of a key are inferred apart, so that its spec keeps its literal types. */
interface WithKey<V extends z.ZodType, Spec> {
  readonly key?: StopKey<Spec, V>;
}

export const pureStop = <S extends z.ZodType, V extends z.ZodType, const R extends Infer<S>>(
  stop: Omit<PureStop<S>, "key"> & WithKey<V, R>,
): PureStop<S> => stop as unknown as PureStop<S>;

export const askingStop = <
  S extends z.ZodType,
  P extends Port,
  V extends z.ZodType,
  const R extends Infer<S>,
>(
  stop: Omit<AskingStop<S, P>, "key"> & WithKey<V, R>,
): AskingStop<S, P> => stop as unknown as AskingStop<S, P>;
