import {
  type FieldTest,
  type FieldTests,
  type Operator,
  operatorNames,
} from "../../expressions/field-tests.ts";
import { patternFault } from "../../expressions/pattern.ts";
import { isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault, requireKeys } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import type { ReaderContext } from "./reader-context.ts";
import { conditionFields, groupFields } from "./schema.ts";

interface ConditionSource {
  readonly at: SourcePath;
  /** Blocks that a path may name by mistake: only the last one's output is examined. */
  readonly refs?: readonly string[];
}

type Faults = Pick<ReaderContext, "faults">;

/** Reads a condition, or a group of them. */
export function readTests(
  reader: Faults,
  value: unknown,
  { at, refs = [] }: ConditionSource,
): FieldTests | undefined {
  if (!isMapping(value) || !("conditions" in value || "combinator" in value)) {
    const test = readTest(reader, value, { at, refs });
    return test && { combinator: "and", tests: [test] };
  }
  const { combinator = "and", conditions } = parseFields(value, {
    fields: groupFields,
    at,
    faults: reader.faults,
  });
  const isKnown = combinator === "and" || combinator === "or";
  if (!isKnown) {
    const message = "`combinator` must be `and` or `or`.";
    reportFault(reader, "BAD_OPERATOR", {
      message,
      at: [...at, "combinator"],
      hint: "Write `combinator: and`.",
    });
  }
  if (conditions?.length === 0 || !Object.hasOwn(value, "conditions")) {
    reportFault(reader, "BAD_VALUE", { message: "A group needs `conditions`.", at: [...at, "conditions"] });
  }
  const tests = (conditions ?? []).map((it, index) =>
    readTest(reader, it, { at: [...at, "conditions", index], refs }),
  );
  if (!isKnown || tests.length === 0 || tests.includes(undefined)) return undefined;
  return { combinator, tests: tests.flatMap((test) => test ?? []) };
}

function readTest(reader: Faults, value: unknown, { at, refs = [] }: ConditionSource): FieldTest | undefined {
  const fields = parseFields(value, { fields: conditionFields, at, faults: reader.faults });
  if (!isMapping(value)) return undefined;
  const operator = readOperator(reader, fields.operator, at);
  requireKeys(reader, { keys: ["eval_key", "operator"], object: value, at, what: "A condition" });
  if (operator === "regex") checkPattern(reader, fields.value, [...at, "value"]);
  if (operator === undefined || fields.eval_key === undefined) return undefined;
  const path = fields.eval_key.split(".");
  const test = { path, operator, value: fields.value ?? null };
  const [first = "", ...rest] = path;
  if (rest.length === 0 || !refs.includes(first)) return test;
  reportFault(reader, "IGNORED_FIELD", {
    message: `Only the last block's output is read; \`${first}.\` has no meaning here.`,
    at: [...at, "eval_key"],
    hint: `Write ${rest.join(".")}.`,
    warning: true,
  });
  return { ...test, or: rest };
}

function readOperator(reader: Faults, value: unknown, at: SourcePath): Operator | undefined {
  const operator = operatorNames.find((name) => name === value);
  if (operator !== undefined || value === undefined) return operator;
  const name = typeof value === "string" ? value : "";
  const hint = didYouMean(name, operatorNames) ?? `Use one of ${operatorNames.join(", ")}.`;
  return reportFault(reader, "BAD_OPERATOR", {
    message: `There is no operator \`${name.slice(0, 80)}\`.`,
    at: [...at, "operator"],
    hint,
  });
}

/** Reports a text that is not a pattern. */
export function checkPattern(reader: Faults, value: unknown, at: SourcePath): void {
  const fault = typeof value === "string" ? patternFault(value) : "it is not text";
  if (fault === undefined) return;
  reportFault(reader, "BAD_EXPRESSION", { message: `This is not a valid pattern: ${fault}.`, at });
}
