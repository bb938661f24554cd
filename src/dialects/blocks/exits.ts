import type { ExitRule } from "../../plan/sequence.ts";
import { isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault, requireKeys } from "../report-fault.ts";
import { checkPattern, readTests } from "./conditions.ts";
import type { RawBlock, ReaderContext } from "./reader-context.ts";
import {
  branchFields,
  exitConditionFields,
  exitFields,
  outputConditionFields,
  routeFields,
} from "./schema.ts";

/** A transition declared by a block itself, under `routes`. */
export interface ExitRoute {
  readonly exit: string;
  readonly to: string | null | undefined;
  readonly isDefault: boolean;
  readonly at: SourcePath;
}

/** The exits that a block may have according to its file, and what makes it take each one. */
export interface Exits {
  readonly names: ReadonlySet<string>;
  readonly rules: readonly ExitRule[];
  readonly routes: readonly ExitRoute[];
}

type Faults = Pick<ReaderContext, "faults">;

/** Reads everything about a block's exits. */
export function readExits(reader: Faults, rawBlock: RawBlock): Exits {
  const fields = rawBlock.type === "dispatch" ? branchFields : exitFields;
  const declared = eachOf(rawBlock, "exits").flatMap(({ value, at }) => {
    if (fields === exitFields && isMapping(value))
      requireKeys(reader, { keys: ["id"], object: value, at, what: "An exit" });
    return parseFields(value, { fields, at, faults: reader.faults }).id ?? [];
  });
  const conditions = eachOf(rawBlock, "exit_conditions").flatMap((it) => readCondition(reader, it) ?? []);
  const outputs = eachOf(rawBlock, "output_conditions").flatMap((it) => readOutput(reader, it) ?? []);
  const routes = readRoutes(reader, rawBlock);
  const rules = [...conditions, ...defaultsLast(outputs), ...defaultsLast(routes.map(({ rule }) => rule))];
  return {
    names: new Set([...own[rawBlock.type], ...declared, ...rules.map(({ exit }) => exit)]),
    rules: rawBlock.type === "workflow" ? [{ exit: "completed" }, ...rules] : rules,
    routes: routes.map(({ route }) => route),
  };
}

const own: Readonly<Record<RawBlock["type"], readonly string[]>> = {
  linear: ["error"],
  gate: ["pass", "fail", "error"],
  code: ["error"],
  loop: ["error"],
  workflow: ["completed", "error"],
  dispatch: ["error"],
  synthesize: ["error"],
};

interface Entry {
  readonly value: unknown;
  readonly at: SourcePath;
}

function eachOf({ fields, at }: RawBlock, key: "exits" | "exit_conditions" | "output_conditions" | "routes") {
  return (fields[key] ?? []).map((value, index): Entry => ({ value, at: [...at, key, index] }));
}

const isAlways = ({ contains, matches, tests }: ExitRule) =>
  contains === undefined && matches === undefined && tests === undefined;

const defaultsLast = (rules: readonly ExitRule[]) => [
  ...rules.filter((rule) => !isAlways(rule)),
  ...rules.filter(isAlways),
];

function readCondition(reader: Faults, { value, at }: Entry): ExitRule | undefined {
  const fields = parseFields(value, { fields: exitConditionFields, at, faults: reader.faults });
  if (!isMapping(value)) return undefined;
  const { contains, regex, exit_handle: exit } = fields;
  if (regex) checkPattern(reader, regex, [...at, "regex"]);
  const hasTest = Boolean(contains) || Boolean(regex);
  if (!hasTest || !Object.hasOwn(value, "exit_handle")) {
    const message = "An exit condition needs an `exit_handle`, and `contains` or `regex`.";
    const hint = "For example `{exit_handle: approved, contains: APPROVED}`.";
    reportFault(reader, "BAD_VALUE", { message, at, hint });
  }
  if (!hasTest || exit === undefined) return undefined;
  return { exit, ...(contains ? { contains } : {}), ...(regex ? { matches: regex } : {}) };
}

function readOutput(reader: Faults, { value, at }: Entry): ExitRule | undefined {
  const fields = parseFields(value, { fields: outputConditionFields, at, faults: reader.faults });
  if (!isMapping(value)) return undefined;
  if (!Object.hasOwn(value, "case_id")) {
    reportFault(reader, "BAD_VALUE", { message: "An output condition needs a `case_id`.", at });
  }
  const { case_id: exit, condition_group: group } = fields;
  if (fields.default) return exit === undefined ? undefined : { exit };
  if (group === undefined) {
    const message = "An output condition needs a `condition_group`, or `default: true`.";
    return reportFault(reader, "BAD_VALUE", { message, at, hint: "Add one of them." });
  }
  const tests = readTests(reader, group, { at: [...at, "condition_group"] });
  return exit === undefined || tests === undefined ? undefined : { exit, tests };
}

function readRoutes(reader: Faults, rawBlock: RawBlock) {
  const routes = eachOf(rawBlock, "routes").flatMap((it) => readRoute(reader, it) ?? []);
  const at = [...rawBlock.at, "routes"];
  if (Object.hasOwn(rawBlock.raw, "routes") && Object.hasOwn(rawBlock.raw, "output_conditions")) {
    reportFault(reader, "BAD_VALUE", {
      message: "`routes` cannot be combined with `output_conditions`.",
      at,
      onKey: true,
    });
  }
  const defaults = routes.filter(({ route }) => route.isDefault);
  if ((rawBlock.fields.routes ?? []).length > 0 && defaults.length !== 1) {
    reportFault(reader, "BAD_VALUE", {
      message: "Exactly one route must be the `default`.",
      at,
      onKey: true,
      hint: "Write `default: true` in one route, and in no other.",
    });
  }
  const seen = new Set<string>();
  for (const { route } of routes) {
    if (seen.has(route.exit)) {
      const message = `Two routes are for the case \`${route.exit}\`.`;
      reportFault(reader, "BAD_VALUE", { message, at: [...route.at, "case"], hint: "Remove one of them." });
    }
    seen.add(route.exit);
  }
  return routes;
}

function readRoute(reader: Faults, { value, at }: Entry) {
  const fields = parseFields(value, { fields: routeFields, at, faults: reader.faults });
  if (!isMapping(value)) return undefined;
  requireKeys(reader, { keys: ["case", "goto"], object: value, at, what: "A route" });
  const isDefault = fields.default ?? false;
  if (!isDefault && fields.when === undefined) {
    reportFault(reader, "BAD_VALUE", {
      message: "A route needs `when`, or `default: true`.",
      at,
      hint: "Add one of them.",
    });
  }
  const tests =
    isDefault || fields.when === undefined
      ? undefined
      : readTests(reader, fields.when, { at: [...at, "when"] });
  const exit = fields.case;
  if (exit === undefined || (tests === undefined && !isDefault)) return undefined;
  const rule: ExitRule = tests === undefined ? { exit } : { exit, tests };
  return { rule, route: { exit, to: fields.goto, isDefault, at } };
}
