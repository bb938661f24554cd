import type { Call, Node, OnError } from "../../plan/plan.ts";
import { note } from "../note.ts";
import { readCall } from "./call.ts";
import type { Draft, LoopDraft } from "./draft.ts";
import type { Sheet } from "./sheet.ts";
import type { repeating } from "./texts.ts";

/** What every node has. */
export type NodeBase = Pick<Node, "id" | "after" | "trigger" | "when" | "retry" | "mayFail">;

/** Further attempts where the file does not say how many. */
export const tries = 3;

export interface LoopSource {
  readonly draft: Draft;
  readonly loop: LoopDraft;
  readonly max: number | undefined;
}

interface BodySource {
  readonly draft: Draft;
  readonly loop: LoopDraft;
  /** What `loop.…` means in the parameters. */
  readonly texts: typeof repeating;
}

/** The workflow a loop calls. */
export function readBody(sheet: Sheet, { draft, loop, texts }: BodySource): Call | undefined {
  const { fields, at, raw } = loop;
  if (fields.workflow === undefined) {
    if (!Object.hasOwn(raw, "workflow"))
      note(sheet, "LOOP_EMPTY_BODY", { message: "A loop needs a `workflow` to call.", at, onKey: true });
    return undefined;
  }
  return readCall(sheet, {
    workflow: fields.workflow,
    at: [...at, "workflow"],
    parameters: fields.with,
    place: at,
    element: draft.id,
    loop: texts,
    message: [{ ref: "value", name: "LOOP_INPUT" }],
  });
}

/** The longest all iterations may take together. */
export const timeLimit = ({ fields }: LoopDraft) =>
  fields.total_timeout === undefined ? {} : { timeoutMs: fields.total_timeout };

/** What a failed iteration means. */
export function readOnFailure({ fields }: LoopDraft): OnError {
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
