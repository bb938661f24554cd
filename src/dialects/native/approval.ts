import type { ApprovalNode } from "../../plan/plan.ts";
import { type ParsedFields, parseFields } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { agentCall, isBlank, readDefaults, readPrompt } from "./call.ts";
import type { NodeContext, NodeReaderContext, RawNode } from "./raw-node.ts";
import type { ReaderContext } from "./reader-context.ts";
import { approvalFields, onRejectFields } from "./schema.ts";
import { readText } from "./templates.ts";

/** Reads a node that waits for a person. */
export function readApproval(
  reader: ReaderContext,
  rawNode: RawNode,
  context: NodeReaderContext,
): ApprovalNode | undefined {
  const at = [...rawNode.at, "approval"];
  const fields = parseFields(rawNode.raw["approval"], { fields: approvalFields, at, faults: reader.faults });
  warnIfNotInteractive(reader, at);
  const { message, decisions } = fields;
  checkDecisions(reader, fields, at);
  const rework =
    fields.on_reject === undefined
      ? undefined
      : readRework(reader, rawNode, { ...context, value: fields.on_reject });
  if (message === undefined || isBlank(message)) {
    const place = message === undefined ? { at, onKey: true } : { at: [...at, "message"] };
    return reportFault(reader, "BAD_VALUE", { message: "An approval needs a `message`.", ...place });
  }
  return {
    ...context.base,
    kind: "approval",
    message: [
      ...readText(reader, { source: message, at: [...at, "message"], names: context.names }),
      ...(decisions === undefined ? [] : [`\n\n${howToDecide(decisions)}`]),
    ],
    capture: fields.capture_response ?? false,
    ...bareAnswer(reader),
    ...(decisions === undefined ? {} : { decisions: decisions.map(({ id }) => id) }),
    ...(rework === undefined ? {} : { onReject: rework }),
  };
}

/** In Archon, an approval without a text says `Approved`. */
export const bareAnswer = ({ files }: ReaderContext) => (files.isArchons ? { bare: "Approved" } : {});

type Fields = ParsedFields<typeof approvalFields>;
type Decisions = NonNullable<Fields["decisions"]>;

function checkDecisions(reader: ReaderContext, { decisions, on_reject }: Fields, at: RawNode["at"]): void {
  if (decisions === undefined) return;
  const place = { at: [...at, "decisions"], onKey: true };
  const ids = decisions.map(({ id }) => id);
  if (on_reject !== undefined) {
    const message = "An approval has `decisions` or `on_reject`, not both.";
    reportFault(reader, "BAD_VALUE", { message, ...place });
  }
  if (!ids.includes("approve") || new Set(ids).size < ids.length) {
    const message = "`decisions` has each id once, and one of them is `approve`.";
    reportFault(reader, "BAD_VALUE", {
      message,
      ...place,
      hint: "For example `[{id: approve}, {id: redo}]`.",
    });
  }
}

/** Comments approve or reject; any other decision is the first word of their text. */
function howToDecide(decisions: Decisions): string {
  const all = decisions.map(({ id, label }) => (label === undefined ? id : `${id} (${label})`)).join(", ");
  const other = decisions.find(({ id }) => id !== "approve" && id !== "reject");
  const how = other === undefined ? "" : ` To decide otherwise, approve with the text \`${other.id}: …\`.`;
  return `Decisions: ${all}.${how}`;
}

/** A file that waits for people should declare it. */
export function warnIfNotInteractive(reader: ReaderContext, at: RawNode["at"]): void {
  if (reader.isInteractive) return;
  reportFault(reader, "INTERACTIVE_NOT_DECLARED", {
    message: "This waits for a person, but the file does not declare that; the run pauses anyway.",
    at,
    onKey: true,
    hint: "Add `interactive: true` at the top of the file.",
    warning: true,
  });
}

function readRework(
  reader: ReaderContext,
  rawNode: RawNode,
  { names, enclosing, value }: NodeContext & { value: unknown },
): ApprovalNode["onReject"] {
  const place = [...rawNode.at, "approval", "on_reject"];
  const read = parseFields(value, { fields: onRejectFields, at: place, faults: reader.faults });
  if (read.prompt === undefined)
    return reportFault(reader, "BAD_VALUE", {
      message: "`on_reject` needs a `prompt`.",
      at: place,
      onKey: true,
    });
  const prompt = readPrompt(reader, { key: "prompt", value: read.prompt, at: place, names });
  const defaults = readDefaults(reader, rawNode, enclosing.defaults);
  return prompt && { call: agentCall(prompt, defaults), times: read.max_attempts ?? 3 };
}
