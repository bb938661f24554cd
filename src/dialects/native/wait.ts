import type { Text } from "../../expressions/template.ts";
import type { ApprovalNode, ScriptNode } from "../../plan/plan.ts";
import { type ParsedFields, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { isBlank } from "./call.ts";
import type { NodeContext, NodeReaderContext, RawNode } from "./raw-node.ts";
import type { ReaderContext } from "./reader-context.ts";
import { waitFields } from "./schema.ts";
import { readText } from "./templates.ts";

/** Reads Archon's node that waits: for a duration, until a time, or for an event that a person or program reports. */
export function readWait(
  reader: ReaderContext,
  rawNode: RawNode,
  { base, names }: NodeReaderContext,
): ScriptNode | ApprovalNode | undefined {
  const at = [...rawNode.at, "wait"];
  const fields = parseFields(rawNode.raw["wait"], { fields: waitFields, at, faults: reader.faults });
  const form = formOf(fields);
  if (form === undefined) {
    const message = "A wait needs one of duration_ms, until, event, attention.";
    const hint = "For example `wait: {duration_ms: 60000}`.";
    return reportFault(reader, "BAD_VALUE", { message, at, onKey: true, hint });
  }
  if (form.key === "duration_ms") return { ...base, ...pause([`Number(new Date) + ${form.ms}`]) };
  if (isBlank(form.source))
    return reportFault(reader, "BAD_VALUE", {
      message: `The ${form.key} is blank.`,
      at: [...at, form.key],
      hint: "Write what the node waits for.",
    });
  const field = { source: form.source.trim(), at: [...at, form.key], names };
  if (form.key === "event") return { ...base, ...gate(reader, { fields, field }) };
  if (form.key === "attention")
    return { ...base, kind: "approval", message: readText(reader, field), capture: true, waits: {} };
  const until = readText(reader, { ...field, isCode: true });
  if (until.every((part) => typeof part === "string") && Number.isNaN(Date.parse(until.join("")))) {
    const hint = "Write a time like 2026-12-24T18:00:00Z, or $id.output.";
    reportFault(reader, "BAD_VALUE", { message: `\`${until.join("")}\` is not a time.`, at: field.at, hint });
  }
  const parts = until.flatMap((part) => [typeof part === "string" ? JSON.stringify(part) : part, ","]);
  return { ...base, ...pause(["Date.parse([", ...parts, '].join("").trim())']) };
}

type Fields = ParsedFields<typeof waitFields>;

type Form =
  | { readonly key: "duration_ms"; readonly ms: number }
  | { readonly key: "until" | "event" | "attention"; readonly source: string };

/** What to wait for; `undefined` unless there is exactly one. */
function formOf({ duration_ms: ms, until, event, attention }: Fields): Form | undefined {
  const forms: readonly Form[] = [
    ...(ms === undefined ? [] : [{ key: "duration_ms", ms } as const]),
    ...(until === undefined ? [] : [{ key: "until", source: until } as const]),
    ...(event === undefined ? [] : [{ key: "event", source: event } as const]),
    ...(event !== undefined || attention === undefined
      ? []
      : [{ key: "attention", source: attention } as const]),
  ];
  return forms.length === 1 ? forms[0] : undefined;
}

/** The maximum of a timer, 24 days. */
const longestMs = 2 ** 31 - 1;

/** A program that ends at the given time, and prints the same as Archon. */
const pause = (due: Text): Pick<ScriptNode, "kind" | "runtime" | "source" | "deps" | "timeoutMs"> => ({
  kind: "script",
  runtime: "node",
  source: {
    inline: [
      "const began = Number(new Date);\nconst due = ",
      ...due,
      ';\nif (Number.isNaN(due)) throw new Error("the value of `until` is not a time");\n',
      "const wait = () => {\n  const left = due - new Date;\n",
      `  if (left > 0) return setTimeout(wait, Math.min(left, ${longestMs}));\n`,
      '  console.log(JSON.stringify({ status: "satisfied", waited_ms: new Date - began }));\n};\nwait();\n',
    ],
  },
  deps: [],
  timeoutMs: longestMs,
});

interface EventSource {
  readonly fields: Fields;
  readonly field: { readonly source: string; readonly at: SourcePath; readonly names: NodeContext["names"] };
}

/** The run pauses. An approval reports the event, and its text is the event's content. */
function gate(
  reader: ReaderContext,
  { fields, field }: EventSource,
): Pick<ApprovalNode, "kind" | "message" | "capture" | "waits"> {
  const event = readText(reader, field);
  const attention: Text = fields.attention === undefined ? [] : [`\n\n${fields.attention}`];
  const message: Text = ["Waiting for the event ", ...event, ": approve once it has happened.", ...attention];
  const deadline = fields.deadline_ms === undefined ? {} : { deadlineMs: fields.deadline_ms };
  return { kind: "approval", message, capture: true, waits: { event, ...deadline } };
}
