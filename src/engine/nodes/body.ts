import type { Body } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { Flow } from "../flow.ts";
import type { Frame, Here } from "../here.ts";
import type { Failed, Outcome } from "../outcome.ts";
import { askAgent } from "./ask.ts";
import { tellCall } from "./call.ts";
import { failureOf } from "./failure.ts";
import { sinkOf } from "./sink.ts";
import { tellNodes } from "./walk.ts";

/** What one telling of a loop's body came to. */
export type BodyEnd = BodyDone | Failed;

export interface BodyDone {
  readonly status: "completed";
  /** The final message as it was written, signals included. */
  readonly raw: string;
  readonly result: Json | undefined;
  readonly session: string | undefined;
  /** The exit by which its last node left. */
  readonly exit?: string | undefined;
  /** How the nodes of a body graph ended. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

interface Round {
  readonly node: string;
  readonly frame: Frame;
  readonly session: string | undefined;
}

/** Tells a loop's body once, at an iteration's path. */
export function* tellBody(body: Body, here: Here, { node, frame, session }: Round): Flow<BodyEnd> {
  const inside: Here = { ...here, frame, iteration: frame.number };
  try {
    switch (body.kind) {
      case "agent": {
        const answer = yield* askAgent(body.call, inside, { node, session });
        const { text: raw, result, session: kept } = answer;
        return { ...done, raw, result, session: kept };
      }
      case "graph": {
        const outcomes = yield* tellNodes(body, inside);
        const end = fromOutcome(sinkOf(body, outcomes));
        return end.status === "completed" ? { ...end, outcomes } : end;
      }
      case "call":
        return fromOutcome(yield* tellCall(body, inside));
    }
  } catch (error) {
    return failureOf(error);
  }
}

const done = {
  status: "completed",
  raw: "",
  result: undefined,
  session: undefined,
  outcomes: new Map<string, Outcome>(),
} as const;

function fromOutcome(outcome: Outcome): BodyEnd {
  if (outcome.status === "failed") return outcome;
  if (outcome.status !== "completed") return done;
  return { ...done, raw: outcome.output, result: outcome.result, exit: outcome.exit };
}
