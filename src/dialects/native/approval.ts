import type { ApprovalNode } from "../../plan/plan.ts";
import { note } from "../note.ts";
import { shape } from "../shape.ts";
import { agentCall, isBlank, readDefaults, readPrompt } from "./call.ts";
import type { Draft, NodeBase, NodeContext } from "./draft.ts";
import { approvalFields, onRejectFields } from "./schema.ts";
import type { Sheet } from "./sheet.ts";
import { readText } from "./texts.ts";

interface ApprovalContext extends NodeContext {
  readonly base: NodeBase;
}

/** Reads a node that waits for a person. */
export function readApproval(sheet: Sheet, draft: Draft, context: ApprovalContext): ApprovalNode | undefined {
  const at = [...draft.at, "approval"];
  const fields = shape(draft.raw["approval"], { fields: approvalFields, at, faults: sheet.faults });
  warnIfNotInteractive(sheet, at);
  const { message } = fields;
  const rework =
    fields.on_reject === undefined
      ? undefined
      : readRework(sheet, draft, { ...context, value: fields.on_reject });
  if (message === undefined || isBlank(message)) {
    const place = message === undefined ? { at, onKey: true } : { at: [...at, "message"] };
    note(sheet, "BAD_VALUE", { message: "An approval needs a `message`.", ...place });
    return undefined;
  }
  return {
    ...context.base,
    kind: "approval",
    message: readText(sheet, { source: message, at: [...at, "message"], names: context.names }),
    capture: fields.capture_response ?? false,
    ...(rework === undefined ? {} : { onReject: rework }),
  };
}

/** What waits for people belongs into a file that says so. */
export function warnIfNotInteractive(sheet: Sheet, at: Draft["at"]): void {
  if (sheet.isInteractive) return;
  note(sheet, "INTERACTIVE_NOT_DECLARED", {
    message: "This waits for a person, and the file does not say so; it pauses all the same.",
    at,
    onKey: true,
    hint: "Add `interactive: true` at the top of the file.",
    warning: true,
  });
}

function readRework(
  sheet: Sheet,
  { fields, at }: Draft,
  { names, around, value }: NodeContext & { value: unknown },
): ApprovalNode["onReject"] {
  const place = [...at, "approval", "on_reject"];
  const read = shape(value, { fields: onRejectFields, at: place, faults: sheet.faults });
  if (read.prompt === undefined) {
    note(sheet, "BAD_VALUE", { message: "`on_reject` needs a `prompt`.", at: place, onKey: true });
    return undefined;
  }
  const prompt = readPrompt(sheet, { key: "prompt", value: read.prompt, at: place, names });
  const defaults = readDefaults(sheet, { fields, at, around: around.defaults });
  return prompt && { call: agentCall(prompt, defaults), times: read.max_attempts ?? 3 };
}
