import { defined } from "../../ports/defined.ts";
import type { WallSettings } from "../../ports/isolation.ts";
import type { StopSpec } from "../../stops/index.ts";
import { isMapping, parseFields } from "../parse-fields.ts";
import { isNamedAsRemedy, reportFault } from "../report-fault.ts";
import { isAgent, nearAgent } from "./agent-names.ts";
import { isBlank } from "./call.ts";
import type { Names } from "./names-in-scope.ts";
import type { RawLoop } from "./raw-loop.ts";
import type { ReaderContext } from "./reader-context.ts";
import { checkFields } from "./schema.ts";
import { readExpression, readShell, readText } from "./templates.ts";
import { wallsIn } from "./walls.ts";

export interface ReadStops {
  /** In the order of testing: cheapest first. */
  readonly specs: readonly StopSpec[];
  readonly baseline: boolean;
  readonly checkWalls: WallSettings | undefined;
  readonly protected: Check["protected"];
}

const stopKeys = [
  "until_field",
  "until",
  "until_expr",
  "until_bash",
  "until_condition",
  "until_agent",
] as const;
type StopKey = "fail_until" | (typeof stopKeys)[number];

/** Reads everything that may end a loop. */
export function readStops(reader: ReaderContext, loop: RawLoop, names: Names): ReadStops {
  const { raw, at, fields } = loop;
  const hasStop = stopKeys.some((key) => Object.hasOwn(raw, key)) || isNamedAsRemedy(reader, at, stopKeys);
  if (!hasStop && fields.on_max !== "succeed") {
    const hint = `Add one of ${stopKeys.join(", ")}; or \`on_max: succeed\` for a loop meant to run its full count.`;
    reportFault(reader, "LOOP_NO_STOP", {
      message: "This loop has no exit condition.",
      at,
      onKey: true,
      hint,
    });
  }
  checkVerdict(reader, loop);
  const check = readCheck(reader, loop);
  const keys: readonly StopKey[] = ["fail_until", ...stopKeys];
  const specs = keys.flatMap((key) => {
    const text = stopText(reader, loop, key);
    return text === undefined ? [] : (readers[key](reader, { loop, text, names, check }) ?? []);
  });
  const { baseline = false } = check;
  return { specs, baseline, checkWalls: wallsIn(check).walls, protected: check.protected };
}

function stopText(reader: ReaderContext, { fields, raw, at }: RawLoop, key: StopKey): string | undefined {
  const text = fields[key];
  if (text === undefined) return undefined;
  if (text !== null && !isBlank(text)) return text;
  return reportFault(reader, "LOOP_BLANK_STOP", {
    message: `\`${key}\` is blank.`,
    at: [...at, key],
    onKey: raw[key] === null,
  });
}

type Check = ReturnType<typeof readCheck>;

interface StopSource {
  readonly loop: RawLoop;
  readonly text: string;
  readonly names: Names;
  readonly check: Check;
}

type StopReader = (reader: ReaderContext, source: StopSource) => StopSpec | undefined;

const readers: Readonly<Record<StopKey, StopReader>> = {
  fail_until: readFailSignal,
  until_field: readField,
  until: (reader, { loop, text }) => ({
    kind: "signal",
    text: readWord(reader, { loop, text, key: "until" }),
    form: loop.fields.until_form ?? "any",
  }),
  until_expr(reader, { loop, text, names }) {
    const expression = readExpression(reader, { source: text, at: [...loop.at, "until_expr"], names });
    return expression && { kind: "expression", expression };
  },
  until_bash: (reader, { loop, text, names, check }) => ({
    kind: "until-bash",
    script: readShell(reader, { source: text, at: [...loop.at, "until_bash"], names }),
    retries: check.retries ?? 0,
    tests: check.tests ?? "review",
    ...(check.tests === "any" ? {} : { redIfTestsFailed: true }),
    rarelyBroken: true,
    completesClone: true,
    ...defined({ timeoutMs: check.timeout, confirm: check.confirm, setup: check.setup }),
    ...(check.clean === undefined ? {} : { clean: check.clean === true || check.clean === "on" }),
  }),
  until_condition: (reader, { loop, text, names }) => ({
    kind: "answer",
    question: readText(reader, { source: text, at: [...loop.at, "until_condition"], names }),
    ...(loop.fields.no_verdict === "continue" ? { onError: "go-on" } : {}),
  }),
  until_agent: readJudge,
};

const longestSignal = 1000;

/** The text of a signal. */
function readWord(
  reader: ReaderContext,
  { loop, text, key }: Pick<StopSource, "loop" | "text"> & { readonly key: "until" | "fail_until" },
): string {
  const value = text.trim();
  if (value.length > longestSignal) {
    const message = `A signal has at most ${longestSignal} characters.`;
    reportFault(reader, "LIMIT", { message, at: [...loop.at, key] });
  }
  return value;
}

function readFailSignal(reader: ReaderContext, { loop, text }: StopSource): StopSpec {
  const signal = readWord(reader, { loop, text, key: "fail_until" });
  if (loop.fields.until?.trim() === signal) {
    const message = "`fail_until` and `until` must differ.";
    reportFault(reader, "BAD_VALUE", {
      message,
      at: [...loop.at, "fail_until"],
      hint: "Write another word for one of them.",
    });
  }
  return { kind: "fail-signal", text: signal, form: loop.fields.until_form ?? "any" };
}

function readField(reader: ReaderContext, { loop, text }: StopSource): StopSpec {
  const { rawNode, raw, at } = loop;
  const field = text.trim();
  const place = { at: [...at, "until_field"] };
  const hint = `Declare it on the node: output_format: {type: object, properties: {${field}: {type: boolean}}}.`;
  if (Object.hasOwn(raw, "nodes") || Object.hasOwn(raw, "workflow")) {
    const message = "`until_field` reads the structured answer of a prompt or command; this body has none.";
    reportFault(reader, "BAD_VALUE", {
      message,
      ...place,
      hint: "`until_expr` can read the nodes' outputs.",
    });
  } else if (!Object.hasOwn(rawNode.raw, "output_format")) {
    reportFault(reader, "BAD_VALUE", { message: "`until_field` needs an `output_format`.", ...place, hint });
  } else if (!hasBoolean(rawNode.fields.output_format, field)) {
    const message = `The \`output_format\` has no boolean property \`${field}\`.`;
    reportFault(reader, "BAD_VALUE", { message, ...place, hint });
  }
  return { kind: "until-field", field };
}

function readJudge(reader: ReaderContext, { loop, text }: StopSource): StopSpec | undefined {
  const agent = text.trim();
  const at = [...loop.at, "until_agent"];
  if (!isAgent(agent, reader)) {
    const hint = nearAgent(agent, reader);
    return reportFault(reader, "JUDGE_UNKNOWN", {
      message: `There is no agent \`${agent}\` to judge.`,
      at,
      hint,
    });
  }
  const schema = reader.agents.get(agent)?.schema;
  if (schema !== undefined && !hasBoolean(schema, "done")) {
    const message = `The judge \`${agent}\` must answer with a boolean \`done\`; its \`result_schema\` has none.`;
    reportFault(reader, "JUDGE_SCHEMA", { message, at });
  }
  return {
    kind: "judge",
    agent,
    ...(loop.fields.no_verdict === "continue" ? { onError: "go-on", insists: true } : {}),
    ...(loop.fields.judge_sees === "all" ? { sees: "history" } : {}),
    ...(loop.fields.judge_sees === undefined ? { shown: true } : {}),
  };
}

/** Whether a JSON schema has a boolean property of this name. */
function hasBoolean(schema: unknown, property: string): boolean {
  const properties = isMapping(schema) ? schema["properties"] : undefined;
  if (!isMapping(properties) || !Object.hasOwn(properties, property)) return false;
  const declared = properties[property];
  return isMapping(declared) && declared["type"] === "boolean";
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
