import type { Budget, BudgetLimits, Input } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { isMapping, type ParsedFields, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault, warnOfKeys } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import type { ReaderContext } from "./reader-context.ts";
import {
  documentFields,
  inputFields,
  interfaceFields,
  interfaceInputFields,
  limitFields,
  withoutEffect,
  workflowFields,
} from "./schema.ts";

type Faults = Pick<ReaderContext, "faults">;
type Mapping = Readonly<Record<string, unknown>>;

/** Everything in a file except its blocks. */
export interface Head {
  readonly name: string;
  readonly entry: string;
  readonly fields: ParsedFields<typeof workflowFields>;
  readonly blocks: Mapping;
  readonly souls: Mapping;
  readonly inputs: Readonly<Record<string, Input>>;
  readonly budget: Budget;
  /** The mapping under `workflow`, as written. */
  readonly workflow: unknown;
}

/** Reads a file's header, each part separately. */
export function readHead(reader: Faults, whole: Mapping): Head {
  const { faults } = reader;
  const fields = parseFields(whole, {
    fields: documentFields,
    at: [],
    faults,
    lenient: true,
  });
  warnOfKeys(reader, { keys: withoutEffect.document, object: whole, at: [] });
  checkIdentity(reader, fields);
  checkTools(reader, fields.tools ?? []);
  const { workflow, blocks } = fields;
  const at: SourcePath = ["workflow"];
  const inner =
    workflow === undefined
      ? {}
      : parseFields(workflow, { fields: workflowFields, at, faults, lenient: true });
  if (!isMapping(blocks))
    reportFault(reader, "NO_NODES", { message: "`blocks` must hold blocks by id.", at: ["blocks"] });
  return {
    name: typeof inner.name === "string" ? inner.name : "",
    entry: typeof inner.entry === "string" ? inner.entry : "",
    fields: inner,
    blocks: isMapping(blocks) ? blocks : {},
    souls: fields.souls ?? {},
    inputs: {
      ...readInterface(reader, fields.interface),
      ...(fields.inputs ? readInputs(reader, fields.inputs) : impliedInputs(blocks)),
    },
    budget: readLimits(reader, fields.limits),
    workflow,
  };
}

function checkIdentity(reader: Faults, { version, id }: ParsedFields<typeof documentFields>): void {
  if (version !== undefined && version !== "1.0" && version !== 1) {
    reportFault(reader, "BAD_VALUE", { message: '`version` must be "1.0".', at: ["version"] });
  }
  if (id === undefined || (typeof id === "string" && /^[a-z][a-z0-9_-]{1,98}[a-z0-9]$/.test(id))) return;
  const shown = typeof id === "string" ? `\`${id.slice(0, 80)}\`` : "What stands here";
  const hint = "An id is a lowercase letter, then lowercase letters, digits, _ and -; 3 to 100 characters.";
  reportFault(reader, "BAD_ID", { message: `${shown} cannot be the id of a workflow.`, at: ["id"], hint });
}

function checkTools(reader: Faults, tools: readonly string[]): void {
  const seen = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    if (seen.size < seen.add(tool).size) continue;
    const message = `The tool \`${tool.slice(0, 100)}\` is listed twice.`;
    reportFault(reader, "DUPLICATE_ID", { message, at: ["tools", index] });
  }
}

const mostBlocks = 1000;

/** Checks what a file must have: a name, blocks, and an existing entry block. */
export function checkHead(
  reader: ReaderContext,
  { name, entry, fields, workflow }: Head,
  ids: readonly string[],
): void {
  const at: SourcePath = workflow === undefined ? [] : ["workflow"];
  if (name.trim() === "" && isText(reader, fields, "name")) {
    const place = fields.name === undefined ? { at, onKey: at.length > 0 } : { at: [...at, "name"] };
    reportFault(reader, "MISSING_NAME", { message: "A workflow needs a `name` under `workflow`.", ...place });
  }
  if (ids.length === 0 && !reader.faults.some(({ code }) => code === "NO_NODES")) {
    reportFault(reader, "NO_NODES", { message: "The workflow has no blocks.", at: ["blocks"] });
  }
  if (ids.length > mostBlocks) {
    reportFault(reader, "LIMIT", { message: `A workflow has at most ${mostBlocks} blocks.`, at: ["blocks"] });
  }
  if (ids.includes(entry) || !isText(reader, fields, "entry")) return;
  const hint = didYouMean(entry, ids) ?? "Write entry: and the id of the first block, under `workflow`.";
  if (fields.entry === undefined) {
    const message = "A workflow needs an `entry`: the block it starts with.";
    reportFault(reader, "UNKNOWN_REFERENCE", { message, at, onKey: at.length > 0, hint });
  } else {
    const message = `The entry is not a block of this file: \`${entry.slice(0, 100)}\`.`;
    reportFault(reader, "UNKNOWN_REFERENCE", { message, at: [...at, "entry"], hint });
  }
}

/** True if a key is text or absent; anything else is an error. */
function isText(reader: ReaderContext, fields: Head["fields"], key: "name" | "entry"): boolean {
  const value = fields[key] ?? undefined;
  if (value === undefined || typeof value === "string") return true;
  reportFault(reader, "BAD_VALUE", { message: `\`${key}\` must be text.`, at: ["workflow", key] });
  return false;
}

/** By default, a workflow warns at 80% of a limit. */
const usualWarning = 0.8;

function readLimits(reader: Faults, value: unknown): Budget {
  if (value === undefined || value === null) return {};
  const fields = parseFields(value, { fields: limitFields, at: ["limits"], faults: reader.faults });
  const { on_exceed: onExceed, warn_at_pct: share = usualWarning } = fields;
  const limits = limitsIn(fields);
  const parts = [share, ...(onExceed === "warn" ? [1] : [])].filter((part) => part > 0);
  const warnings = Object.keys(limits).length === 0 ? [] : parts.map((part) => partOf(limits, part));
  return { ...(onExceed === "warn" ? {} : limits), ...(warnings.length === 0 ? {} : { warnings }) };
}

const limitsIn = ({
  max_duration_seconds: seconds,
  cost_cap_usd: usd,
  token_cap: tokens,
}: ParsedFields<typeof limitFields>): BudgetLimits => ({
  ...(seconds === undefined ? {} : { minutes: seconds / 60 }),
  ...defined({ usd, tokens }),
});

const partOf = (limits: BudgetLimits, part: number): BudgetLimits =>
  Object.fromEntries(
    Object.entries(limits).flatMap(([unit, limit]) => {
      const amount = unit === "tokens" ? Math.ceil(limit * part) : Number((limit * part).toFixed(6));
      return amount > 0 ? [[unit, amount]] : [];
    }),
  );

/** The inputs a caller may pass: those of the file's `interface`. */
function readInterface(reader: Faults, value: unknown): Readonly<Record<string, Input>> {
  if (value === undefined || value === null) return {};
  const at = ["interface"];
  const fields = parseFields(value, {
    fields: interfaceFields,
    at,
    faults: reader.faults,
    lenient: true,
  });
  return Object.fromEntries(
    (fields.inputs ?? []).flatMap((entry, index) => {
      const at = ["interface", "inputs", index];
      const fields = parseFields(entry, {
        fields: interfaceInputFields,
        at,
        faults: reader.faults,
        lenient: true,
      });
      if (isMapping(entry) && !Object.hasOwn(entry, "name"))
        reportFault(reader, "BAD_VALUE", { message: "An input needs a `name`.", at });
      return fields.name === undefined ? [] : [[fields.name, inputOf(fields)] as const];
    }),
  );
}

/** The same for newer files, which declare their inputs by name. */
const readInputs = ({ faults }: Faults, inputs: Mapping): Readonly<Record<string, Input>> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      inputOf(parseFields(value, { fields: inputFields, at: ["inputs", name], faults })),
    ]),
  );

/** The inputs that blocks read, in a file that declares none. */
function impliedInputs(blocks: unknown): Readonly<Record<string, Input>> {
  const sources = Object.values(isMapping(blocks) ? blocks : {}).flatMap((block) =>
    isMapping(block) && isMapping(block["inputs"]) ? Object.values(block["inputs"]) : [],
  );
  const names = sources.flatMap((value) => {
    const source = isMapping(value) ? value["from"] : value;
    return typeof source === "string"
      ? (/^workflow\.(?!message$)([^.]+)/.exec(source.trim())?.[1] ?? [])
      : [];
  });
  return Object.fromEntries(names.map((name) => [name, {}]));
}

function inputOf(fields: ParsedFields<typeof inputFields>): Input {
  const { default: value, description, required = true } = fields;
  const text = typeof value === "string" ? value : value === undefined ? undefined : JSON.stringify(value);
  const otherwise = text ?? (required ? undefined : "");
  return {
    ...defined({ default: otherwise }),
    ...(description ? { description } : {}),
  };
}
