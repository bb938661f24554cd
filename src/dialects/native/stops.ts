import type { WallSettings } from "../../ports/isolation.ts";
import { type StopSpec, stopKeys } from "../../stops/index.ts";
import { type Complaint, forms } from "../../stops/stop-key.ts";
import { isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { isNamedAsRemedy, reportFault } from "../report-fault.ts";
import { isAgent, nearAgent } from "./agent-names.ts";
import { isBlank } from "./call.ts";
import type { Names } from "./names-in-scope.ts";
import type { RawLoop } from "./raw-loop.ts";
import type { ReaderContext } from "./reader-context.ts";
import { checkFields } from "./schema.ts";
import { readExpression, readShell, readText, type TemplateSource } from "./templates.ts";
import { wallsIn } from "./walls.ts";

export interface ReadStops {
  /** In the order of testing: cheapest first. */
  readonly specs: readonly StopSpec[];
  readonly baseline: boolean;
  readonly checkWalls: WallSettings | undefined;
  readonly protected: Check["protected"];
}

const byCost = stopKeys.toSorted((a, b) => a.cost - b.cost);
const endings = byCost.filter(({ givesUp }) => !givesUp).map(({ name }) => name);

/** Reads everything that may end a loop. */
export function readStops(reader: ReaderContext, loop: RawLoop, names: Names): ReadStops {
  const { raw, at, fields } = loop;
  const hasStop = endings.some((key) => Object.hasOwn(raw, key)) || isNamedAsRemedy(reader, at, endings);
  if (!hasStop && fields.on_max !== "succeed") {
    const hint = `Add one of ${endings.join(", ")}; or \`on_max: succeed\` for a loop meant to run its full count.`;
    reportFault(reader, "LOOP_NO_STOP", {
      message: "This loop has no exit condition.",
      at,
      onKey: true,
      hint,
    });
  }
  checkVerdict(reader, loop);
  const check = readCheck(reader, loop);
  const specs = byCost.flatMap((key) => readStop(reader, key, { loop, names, check }) ?? []);
  const { baseline = false } = check;
  return { specs, baseline, checkWalls: wallsIn(check).walls, protected: check.protected };
}

type Check = ReturnType<typeof readCheck>;
type Key = (typeof stopKeys)[number];

interface StopSource {
  readonly loop: RawLoop;
  readonly names: Names;
  readonly check: Check;
}

function readStop(reader: ReaderContext, key: Key, { loop, names, check }: StopSource): StopSpec | undefined {
  const { fields, raw } = loop;
  const at = [...loop.at, key.name];
  const written = (fields as Readonly<Record<string, unknown>>)[key.name];
  if (written === undefined) return undefined;
  if (written === null || (typeof written === "string" && isBlank(written))) {
    const message = `\`${key.name}\` is blank.`;
    return reportFault(reader, "LOOP_BLANK_STOP", { message, at, onKey: raw[key.name] === null });
  }
  const value =
    typeof written === "string" ? meaningOf(reader, key, { source: written, at, names }) : written;
  if (value === undefined) return undefined;
  if (key.reads !== undefined) checkAnswer(reader, loop, { key: key.name, at, ...key.reads(value) });
  const spec = key.spec(value, { ...fields, check });
  if (!isComplaint(spec)) return spec as StopSpec;
  const { complaint: message, hint, code = "BAD_VALUE" } = spec;
  return reportFault(reader, code, { message, at, hint });
}

const isComplaint = (spec: unknown): spec is Complaint =>
  typeof spec === "object" && spec !== null && "complaint" in spec;

/** What a text means, by the form of its key's value. */
function meaningOf(reader: ReaderContext, { holds }: Key, text: TemplateSource): unknown {
  switch (holds) {
    case forms.text:
      return readText(reader, text);
    case forms.shell:
      return readShell(reader, text);
    case forms.expression:
      return readExpression(reader, text);
    case forms.judge:
      return readJudge(reader, text);
    case forms.word:
      return text.source.trim();
    default:
      return text.source;
  }
}

interface ReadProperty {
  readonly key: string;
  readonly at: SourcePath;
  readonly property: string;
  readonly type: string;
}

/** Refuses a stop that reads a structured answer that the body does not give. */
function checkAnswer(reader: ReaderContext, { raw, rawNode }: RawLoop, read: ReadProperty): void {
  const { key, at, property, type } = read;
  const fault = (message: string, hint: string) => reportFault(reader, "BAD_VALUE", { message, at, hint });
  const declare = `Declare it on the node: output_format: {type: object, properties: {${property}: {type: ${type}}}}.`;
  if (Object.hasOwn(raw, "nodes") || Object.hasOwn(raw, "workflow"))
    fault(
      `\`${key}\` reads the structured answer of a prompt or command; this body has none.`,
      "`until_expr` can read the nodes' outputs.",
    );
  else if (!Object.hasOwn(rawNode.raw, "output_format"))
    fault(`\`${key}\` needs an \`output_format\`.`, declare);
  else if (!declares(rawNode.fields.output_format, property, type))
    fault(`The \`output_format\` has no ${type} property \`${property}\`.`, declare);
}

function readJudge(reader: ReaderContext, { source, at }: TemplateSource): string | undefined {
  const agent = source.trim();
  if (!isAgent(agent, reader)) {
    const hint = nearAgent(agent, reader);
    return reportFault(reader, "JUDGE_UNKNOWN", {
      message: `There is no agent \`${agent}\` to judge.`,
      at,
      hint,
    });
  }
  const schema = reader.agents.get(agent)?.schema;
  if (schema !== undefined && !declares(schema, "done", "boolean")) {
    const message = `The judge \`${agent}\` must answer with a boolean \`done\`; its \`result_schema\` has none.`;
    reportFault(reader, "JUDGE_SCHEMA", { message, at });
  }
  return agent;
}

/** Whether a JSON schema has a property of this name and type. */
function declares(schema: unknown, property: string, type: string): boolean {
  const properties = isMapping(schema) ? schema["properties"] : undefined;
  if (!isMapping(properties) || !Object.hasOwn(properties, property)) return false;
  const declared = properties[property];
  return isMapping(declared) && declared["type"] === type;
}

function checkVerdict(reader: ReaderContext, { raw, at }: RawLoop): void {
  const needs = { no_verdict: ["until_agent", "until_condition"], judge_sees: ["until_agent"] };
  for (const [key, stops] of Object.entries(needs)) {
    if (!Object.hasOwn(raw, key) || stops.some((stop) => Object.hasOwn(raw, stop))) continue;
    const message = `\`${key}\` requires ${stops.map((stop) => `\`${stop}\``).join(" or ")}.`;
    reportFault(reader, "BAD_VALUE", { message, at: [...at, key], onKey: true });
  }
}

function readCheck(reader: ReaderContext, { fields, raw, at }: RawLoop) {
  const place = [...at, "check"];
  if (fields.check === undefined) return {};
  if (!Object.hasOwn(raw, "until_bash")) {
    reportFault(reader, "BAD_VALUE", { message: "`check` requires `until_bash`.", at: place, onKey: true });
  }
  return parseFields(fields.check, { fields: checkFields, at: place, faults: reader.faults });
}
