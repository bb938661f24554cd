import type { Node, Retry, ScriptNode } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { scriptEndings } from "../dialect.ts";
import { parseFields } from "../parse-fields.ts";
import { reportFault, warnOfKeys } from "../report-fault.ts";
import { readApproval } from "./approval.ts";
import { type Bindings, readBindings, variablesIn, withBindings } from "./bindings.ts";
import { agentCall, isBlank, readDefaults, readForm, readPrompt } from "./call.ts";
import { type Kind, kindOf } from "./kind.ts";
import { readLoop } from "./loop.ts";
import type { Names } from "./names-in-scope.ts";
import type { NodeBase, NodeContext, NodeReaderContext, RawNode } from "./raw-node.ts";
import type { ReaderContext } from "./reader-context.ts";
import { extraFields, retryFields, settingFields, toolFields } from "./schema.ts";
import { readCondition, readShell, readText } from "./templates.ts";
import { readWait } from "./wait.ts";
import { wallsIn } from "./walls.ts";
import { readWorkflow } from "./workflow-node.ts";

/** Reads one node; `undefined` if its kind is unclear. */
export function readNode(reader: ReaderContext, rawNode: RawNode, context: NodeContext): Node | undefined {
  const kind = kindOf(reader, rawNode);
  if (kind === undefined) return undefined;
  warnOfUseless(reader, rawNode, kind);
  const base = readBase(reader, rawNode, { kind, names: context.names });
  return readers[kind](reader, rawNode, { ...context, base });
}

type Reader = (reader: ReaderContext, rawNode: RawNode, context: NodeReaderContext) => Node | undefined;

const readers: Readonly<Record<Kind, Reader>> = {
  prompt: (reader, rawNode, context) => readAgent(reader, rawNode, { ...context, key: "prompt" }),
  command: (reader, rawNode, context) => readAgent(reader, rawNode, { ...context, key: "command" }),
  bash: readBash,
  script: readScript,
  loop: (reader, rawNode, context) => readLoop(reader, rawNode, { ...context, key: "loop" }),
  loop_group: (reader, rawNode, context) => readLoop(reader, rawNode, { ...context, key: "loop_group" }),
  approval: readApproval,
  cancel: readCancel,
  wait: readWait,
  workflow: readWorkflow,
};

const agentKeys = [
  "agent",
  "provider",
  "model",
  "idle_timeout",
  "timeout",
  "systemPrompt",
  "context",
  ...Object.keys(toolFields),
  ...Object.keys(settingFields),
  ...Object.keys(extraFields),
];
const promptKeys = [...agentKeys, "output_format", "output_required", "retry", "mutates_checkout"];
const callKeys = ["with", "message", "input", "fan_out"];
const useful: Readonly<Record<Kind, readonly string[]>> = {
  prompt: promptKeys,
  command: [...promptKeys, "with"],
  bash: ["timeout", "on_timeout", "retry", "output_format", "with", "mutates_checkout"],
  script: ["timeout", "on_timeout", "retry", "output_format", "runtime", "deps", "with", "mutates_checkout"],
  loop: promptKeys,
  loop_group: promptKeys,
  approval: agentKeys,
  cancel: [],
  wait: [],
  workflow: [...callKeys, "retry"],
};
const someKinds = new Set<string>([...promptKeys, ...callKeys, "runtime", "deps", "on_timeout"]);

function warnOfUseless(reader: ReaderContext, { raw, at }: RawNode, kind: Kind): void {
  const isUnlimited = reader.files.isArchons === true && kind !== "bash" && kind !== "script";
  const keys = Object.keys(raw).filter(
    (key) => someKinds.has(key) && (!useful[kind].includes(key) || (isUnlimited && key === "timeout")),
  );
  const message = (key: string) => `\`${key}\` has no effect on a ${kind} node.`;
  warnOfKeys(reader, { keys, object: raw, at, message });
}

function readBase(
  reader: ReaderContext,
  rawNode: RawNode,
  { kind, names }: { kind: Kind; names: Names },
): NodeBase {
  const { id, after, at, fields } = rawNode;
  const when =
    fields.when === undefined
      ? undefined
      : readCondition(reader, { source: fields.when, at: [...at, "when"], names });
  const retry = useful[kind].includes("retry") ? readRetry(reader, rawNode, kind) : undefined;
  return {
    id,
    after,
    trigger: fields.trigger_rule ?? "all_success",
    ...defined({ when, retry }),
    ...wallsIn(fields),
    ...(fields.mutates_checkout === false && useful[kind].includes("mutates_checkout")
      ? ({ readOnly: true } as const)
      : {}),
  };
}

function readRetry(reader: ReaderContext, { raw, at }: RawNode, kind: Kind): Retry | undefined {
  if (!Object.hasOwn(raw, "retry")) return undefined;
  const place = [...at, "retry"];
  if (kind === "loop" || kind === "loop_group") {
    const hint = "Use `on_error` or `restarts` under the loop, or more iterations.";
    return reportFault(reader, "LOOP_RETRY", {
      message: "A loop takes no `retry`.",
      at: place,
      onKey: true,
      hint,
    });
  }
  const fields = parseFields(raw["retry"], { fields: retryFields, at: place, faults: reader.faults });
  return {
    times: fields.max_attempts ?? 1,
    delayMs: fields.delay_ms ?? 3000,
    on: fields.on_error ?? (kind === "bash" || kind === "script" ? "all" : "transient"),
  };
}

function readAgent(
  reader: ReaderContext,
  rawNode: RawNode,
  { key, names, enclosing, base }: NodeReaderContext & { key: "prompt" | "command" },
): Node | undefined {
  const { fields, at } = rawNode;
  const defaults = readDefaults(reader, rawNode, enclosing.defaults);
  const value = fields[key];
  const bindings: Bindings = key === "command" ? readBindings(reader, rawNode, names) : new Map();
  const inside = { ...reader, inputs: new Set([...reader.inputs, ...bindings.keys()]) };
  const prompt = value === undefined ? undefined : readPrompt(inside, { key, value, at, names });
  const form = readForm(reader, rawNode, true);
  return (
    prompt && { ...base, kind: "agent", call: agentCall(withBindings(prompt, bindings), defaults, form) }
  );
}

function readBash(
  reader: ReaderContext,
  rawNode: RawNode,
  { names, base }: NodeReaderContext,
): Node | undefined {
  const { fields, at } = rawNode;
  const source = filled(reader, { value: fields.bash, at: [...at, "bash"] });
  if (source === undefined) return undefined;
  const script = readShell(reader, { source, at: [...at, "bash"], names });
  return {
    ...base,
    kind: "shell",
    script,
    ...variablesIn(reader, rawNode, names),
    ...limits(fields),
    ...schemaIn(fields),
  };
}

function readScript(
  reader: ReaderContext,
  rawNode: RawNode,
  { names, base }: NodeReaderContext,
): Node | undefined {
  const { fields, raw, at } = rawNode;
  const place = [...at, "script"];
  if (!Object.hasOwn(raw, "runtime")) {
    const hint = "One of bun, uv, node, python.";
    reportFault(reader, "BAD_VALUE", {
      message: "A script needs a `runtime`.",
      at: place,
      onKey: true,
      hint,
    });
  }
  const source = filled(reader, { value: fields.script, at: place });
  if (source === undefined || fields.runtime === undefined) return undefined;
  const name = source.trim();
  const isInline = /[\s;|&$`"'()<>*?{}[\]\\!#~=]/.test(name);
  const file = isInline ? undefined : scriptFile(reader, { name, runtime: fields.runtime, at: place });
  return {
    ...base,
    kind: "script",
    runtime: fields.runtime,
    source: isInline
      ? { inline: readText(reader, { source, at: place, names, isCode: true }) }
      : { file: file ?? name },
    deps: fields.deps ?? [],
    ...variablesIn(reader, rawNode, names),
    ...limits(fields),
    ...schemaIn(fields),
  };
}

interface NamedScript {
  readonly name: string;
  readonly runtime: ScriptNode["runtime"];
  readonly at: RawNode["at"];
}

/** The file of a script: a path, or a bare name in the script folders. */
function scriptFile(reader: ReaderContext, { name, runtime, at }: NamedScript): string {
  if (reader.files.script === undefined || /[/.]/.test(name)) return name;
  const file = reader.files.script(name, scriptEndings[runtime]);
  if (file !== undefined) return file;
  const names = scriptEndings[runtime].map((ending) => `.archon/scripts/${name}${ending}`);
  reportFault(reader, "BAD_VALUE", {
    message: `There is no script \`${name}\` for ${runtime}.`,
    at,
    hint: `Write it as ${names.join(" or ")}, or in .github/loops/scripts/.`,
  });
  return name;
}

function readCancel(
  reader: ReaderContext,
  { fields, at }: RawNode,
  { names, base }: NodeReaderContext,
): Node | undefined {
  const source = filled(reader, { value: fields.cancel, at: [...at, "cancel"] });
  if (source === undefined) return undefined;
  return {
    ...base,
    kind: "cancel",
    reason: readText(reader, { source: source.trim(), at: [...at, "cancel"], names }),
  };
}

/** The text, unless it is blank. */
function filled(
  reader: ReaderContext,
  { value, at }: { value: string | undefined; at: RawNode["at"] },
): string | undefined {
  if (value === undefined || !isBlank(value)) return value;
  return reportFault(reader, "BAD_VALUE", {
    message: `The ${at.at(-1)} is blank.`,
    at,
    hint: "Write its text, or remove the node.",
  });
}

const limits = ({ timeout, on_timeout }: RawNode["fields"]) => ({
  ...defined({ timeoutMs: timeout }),
  ...(on_timeout === "skip" ? ({ maySkip: true } as const) : {}),
});

/** The schema of what a program prints. */
const schemaIn = ({ output_format: schema }: RawNode["fields"]) => (schema === undefined ? {} : { schema });
