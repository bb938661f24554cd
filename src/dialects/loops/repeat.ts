import type { Call, Node, OnError } from "../../plan/plan.ts";
import { reportFault } from "../report-fault.ts";
import { readCall } from "./call.ts";
import type { RawLoop, RawStep } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import type { repeating } from "./templates.ts";

/** The fields of every node. */
export type NodeBase = Pick<Node, "id" | "after" | "trigger" | "when" | "retry" | "mayFail">;

/** Number of retries if the file does not specify it. */
export const tries = 3;

export interface LoopSource {
  readonly rawStep: RawStep;
  readonly loop: RawLoop;
  readonly max: number | undefined;
}

interface BodySource {
  readonly rawStep: RawStep;
  readonly loop: RawLoop;
  /** The meaning of `loop.…` in the parameters. */
  readonly texts: typeof repeating;
}

/** The workflow a loop calls. */
export function readBody(reader: ReaderContext, { rawStep, loop, texts }: BodySource): Call | undefined {
  const { fields, at, raw } = loop;
  if (fields.workflow === undefined) {
    if (!Object.hasOwn(raw, "workflow"))
      reportFault(reader, "LOOP_EMPTY_BODY", {
        message: "A loop needs a `workflow` to call.",
        at,
        onKey: true,
        hint: "Add `workflow:` and the name of the workflow.",
      });
    return undefined;
  }
  return readCall(reader, {
    workflow: fields.workflow,
    at: [...at, "workflow"],
    parameters: fields.with,
    place: at,
    element: rawStep.id,
    loop: texts,
    message: [{ ref: "value", name: "LOOP_INPUT" }],
  });
}

/** Time limit of all iterations together. */
export const timeLimit = ({ fields }: RawLoop) =>
  fields.total_timeout === undefined ? {} : { timeoutMs: fields.total_timeout };

/** The effect of a failed iteration. */
export function readOnFailure({ fields }: RawLoop): OnError {
  switch (fields.on_failure) {
    case "continue":
      return { mode: "continue" };
    case "retry":
      return {
        mode: "retry",
        times: fields.max_retries ?? tries,
        ...(fields.retry_delay === undefined ? {} : { delayMs: fields.retry_delay }),
      };
    default:
      return { mode: "fail" };
  }
}
