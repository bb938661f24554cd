import type { Body } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { ExecutionContext, LoopFrame } from "../execution-context.ts";
import type { Operation } from "../operation.ts";
import type { Failed, Outcome } from "../outcome.ts";
import { askAgent } from "./agent-request.ts";
import { runWorkflowCall } from "./call-workflow.ts";
import { failureOf } from "./failures.ts";
import { graphOutcome } from "./graph-outcome.ts";
import { runSequence } from "./sequence.ts";

/** The result of running a loop's body once. */
export type LoopBodyOutcome = LoopBodyCompleted | Failed;

export interface LoopBodyCompleted {
  readonly status: "completed";
  /** The final message as the agent wrote it, signals included. */
  readonly raw: string;
  readonly result: Json | undefined;
  readonly session: string | undefined;
  /** The exit of its last node. */
  readonly exit?: string | undefined;
  /** The outcomes of the nodes of a body graph. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

interface BodyContext {
  readonly node: string;
  readonly frame: LoopFrame;
  readonly session: string | undefined;
}

/** Runs a loop's body once, at an iteration's path. */
export function* runLoopBody(
  body: Body,
  context: ExecutionContext,
  { node, frame, session }: BodyContext,
): Operation<LoopBodyOutcome> {
  const inside: ExecutionContext = { ...context, frame, iteration: frame.number };
  try {
    switch (body.kind) {
      case "agent": {
        const answer = yield* askAgent(body.call, inside, { node, session });
        const { text: raw, result, session: kept } = answer;
        return { ...done, raw, result, session: kept };
      }
      case "graph": {
        const outcomes = yield* runSequence(body, inside);
        const end = fromOutcome(graphOutcome(body, outcomes));
        return end.status === "completed" ? { ...end, outcomes } : end;
      }
      case "call":
        return fromOutcome(yield* runWorkflowCall(body, inside));
    }
  } catch (error) {
    return failureOf(error);
  }
}

/** The frame of an iteration that knows nothing of others. */
export const emptyFrame = (loop: string, number: number, { frame }: ExecutionContext): LoopFrame => ({
  outer: frame,
  loop,
  number,
  previous: "",
  previousOutcomes: new Map(),
  userInput: "",
  check: "",
  accumulated: {},
});

const done = {
  status: "completed",
  raw: "",
  result: undefined,
  session: undefined,
  outcomes: new Map<string, Outcome>(),
} as const;

function fromOutcome(outcome: Outcome): LoopBodyOutcome {
  if (outcome.status === "failed") return outcome;
  if (outcome.status !== "completed") return done;
  return { ...done, raw: outcome.output, result: outcome.result, exit: outcome.exit };
}
