import type { Node, Retry } from "../../plan/plan.ts";
import { note } from "../note.ts";
import { shape } from "../shape.ts";
import { readApproval } from "./approval.ts";
import { agentCall, isBlank, readCall, readDefaults, readForm, readPrompt } from "./call.ts";
import type { Draft, NodeBase, NodeContext } from "./draft.ts";
import { readLoop } from "./loop.ts";
import type { Names } from "./names.ts";
import { kindKeys, retryFields } from "./schema.ts";
import type { Sheet } from "./sheet.ts";
import { readCondition, readShell, readText } from "./texts.ts";

type Kind = (typeof kindKeys)[number];

/** Reads one node; nothing where its kind is not plain. */
export function readNode(sheet: Sheet, draft: Draft, context: NodeContext): Node | undefined {
  const kind = kindOf(sheet, draft);
  if (kind === undefined) return undefined;
  warnOfUseless(sheet, draft, kind);
  const base = readBase(sheet, draft, { kind, names: context.names });
  return readers[kind](sheet, draft, { ...context, base });
}

interface ReaderContext extends NodeContext {
  readonly base: NodeBase;
}

type Reader = (sheet: Sheet, draft: Draft, context: ReaderContext) => Node | undefined;

const readers: Readonly<Record<Kind, Reader>> = {
  prompt: (sheet, draft, context) => readAgent(sheet, draft, { ...context, key: "prompt" }),
  command: (sheet, draft, context) => readAgent(sheet, draft, { ...context, key: "command" }),
  bash: readBash,
  script: readScript,
  loop: (sheet, draft, context) => readLoop(sheet, draft, { ...context, key: "loop" }),
  loop_group: (sheet, draft, context) => readLoop(sheet, draft, { ...context, key: "loop_group" }),
  approval: readApproval,
  cancel: readCancel,
  workflow: readWorkflow,
};

function kindOf(sheet: Sheet, { raw, at }: Draft): Kind | undefined {
  const given = kindKeys.filter((key) => Object.hasOwn(raw, key));
  const [kind, second] = given;
  if (second !== undefined) {
    const message = `A node has one kind; this one has ${given.join(" and ")}.`;
    note(sheet, "ONE_KIND", { message, at: [...at, second], onKey: true });
    return undefined;
  }
  if (kind === undefined && !Object.hasOwn(raw, "include") && !Object.hasOwn(raw, "wait")) {
    note(sheet, "ONE_KIND", { message: `A node needs one of ${kindKeys.join(", ")}.`, at });
  }
  return kind;
}

const agentKeys = ["agent", "provider", "model", "idle_timeout", "timeout"] as const;
const promptKeys = [...agentKeys, "output_format", "output_required", "retry"] as const;
const useful: Readonly<Record<Kind, readonly string[]>> = {
  prompt: promptKeys,
  command: promptKeys,
  bash: ["timeout", "retry"],
  script: ["timeout", "retry", "runtime", "deps"],
  loop: promptKeys,
  loop_group: promptKeys,
  approval: agentKeys,
  cancel: [],
  workflow: ["with", "message", "retry"],
};
const someKinds = new Set<string>([...promptKeys, "with", "message", "runtime", "deps"]);

function warnOfUseless(sheet: Sheet, { raw, at }: Draft, kind: Kind): void {
  for (const key of Object.keys(raw)) {
    if (!someKinds.has(key) || useful[kind].includes(key)) continue;
    const message = `\`${key}\` has no effect on a ${kind} node.`;
    note(sheet, "IGNORED_FIELD", { message, at: [...at, key], onKey: true, warning: true });
  }
}

function readBase(sheet: Sheet, draft: Draft, { kind, names }: { kind: Kind; names: Names }): NodeBase {
  const { id, after, at, fields } = draft;
  const when =
    fields.when === undefined
      ? undefined
      : readCondition(sheet, { source: fields.when, at: [...at, "when"], names });
  const retry = useful[kind].includes("retry") ? readRetry(sheet, draft, kind) : undefined;
  return {
    id,
    after,
    trigger: fields.trigger_rule ?? "all_success",
    ...(when === undefined ? {} : { when }),
    ...(retry === undefined ? {} : { retry }),
  };
}

function readRetry(sheet: Sheet, { raw, at }: Draft, kind: Kind): Retry | undefined {
  if (!Object.hasOwn(raw, "retry")) return undefined;
  const place = [...at, "retry"];
  if (kind === "loop" || kind === "loop_group") {
    const hint = "Use `on_error` or `restarts` under the loop, or more iterations.";
    note(sheet, "LOOP_RETRY", { message: "A loop takes no `retry`.", at: place, onKey: true, hint });
    return undefined;
  }
  const fields = shape(raw["retry"], { fields: retryFields, at: place, faults: sheet.faults });
  return {
    times: fields.max_attempts ?? 1,
    delayMs: fields.delay_ms ?? 3000,
    on: fields.on_error ?? (kind === "bash" || kind === "script" ? "all" : "transient"),
  };
}

function readAgent(
  sheet: Sheet,
  { fields, at }: Draft,
  { key, names, around, base }: ReaderContext & { key: "prompt" | "command" },
): Node | undefined {
  const defaults = readDefaults(sheet, { fields, at, around: around.defaults });
  const value = fields[key];
  const prompt = value === undefined ? undefined : readPrompt(sheet, { key, value, at, names });
  const form = readForm(sheet, { fields, at });
  return prompt && { ...base, kind: "agent", call: agentCall(prompt, defaults, form) };
}

function readBash(sheet: Sheet, { fields, at }: Draft, { names, base }: ReaderContext): Node | undefined {
  const source = filled(sheet, { value: fields.bash, at: [...at, "bash"] });
  if (source === undefined) return undefined;
  const script = readShell(sheet, { source, at: [...at, "bash"], names });
  return { ...base, kind: "shell", script, ...timeout(fields.timeout) };
}

function readScript(
  sheet: Sheet,
  { fields, raw, at }: Draft,
  { names, base }: ReaderContext,
): Node | undefined {
  const place = [...at, "script"];
  if (!Object.hasOwn(raw, "runtime")) {
    const hint = "One of bun, uv, node, python.";
    note(sheet, "BAD_VALUE", { message: "A script needs a `runtime`.", at: place, onKey: true, hint });
  }
  const source = filled(sheet, { value: fields.script, at: place });
  if (source === undefined || fields.runtime === undefined) return undefined;
  const isInline = /[\s;|&$`"'()<>*?{}[\]\\!#~=]/.test(source.trim());
  return {
    ...base,
    kind: "script",
    runtime: fields.runtime,
    source: isInline
      ? { inline: readText(sheet, { source, at: place, names, isCode: true }) }
      : { file: source.trim() },
    deps: fields.deps ?? [],
    ...timeout(fields.timeout),
  };
}

function readCancel(sheet: Sheet, { fields, at }: Draft, { names, base }: ReaderContext): Node | undefined {
  const source = filled(sheet, { value: fields.cancel, at: [...at, "cancel"] });
  if (source === undefined) return undefined;
  return {
    ...base,
    kind: "cancel",
    reason: readText(sheet, { source: source.trim(), at: [...at, "cancel"], names }),
  };
}

function readWorkflow(sheet: Sheet, { fields, at }: Draft, { names, base }: ReaderContext): Node | undefined {
  if (fields.workflow === undefined) return undefined;
  const call = readCall(sheet, {
    workflow: fields.workflow,
    given: fields.with ?? {},
    message: fields.message,
    at,
    names,
  });
  return call && { ...base, kind: "call", call };
}

/** The text, unless it is blank. */
function filled(
  sheet: Sheet,
  { value, at }: { value: string | undefined; at: Draft["at"] },
): string | undefined {
  if (value === undefined || !isBlank(value)) return value;
  note(sheet, "BAD_VALUE", { message: `The ${at.at(-1)} is blank.`, at });
  return undefined;
}

const timeout = (ms: number | undefined) => (ms === undefined ? {} : { timeoutMs: ms });
