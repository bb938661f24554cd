import { checkGraph } from "../../plan/check.ts";
import type { Node } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import type { Files, Reading } from "../dialect.ts";
import { isMapping, parseFields } from "../parse-fields.ts";
import { checkName, missingNameFault, reportFault } from "../report-fault.ts";
import { linksOf, namesOf } from "./dependencies.ts";
import { readExecution } from "./execution.ts";
import { parseRawLoop, parseRawStep, type RawStep } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";
import { documentFields } from "./schema.ts";
import { readElement } from "./step.ts";

const schema = "workflow/v2.0";
type Mapping = Readonly<Record<string, unknown>>;

const maxElements = 5000;

/** Everything wrong with a file in this language, and its plan. */
export function read(document: unknown, files: Files): Reading {
  const whole: Mapping = isMapping(document) ? document : {};
  const faults: ReaderContext["faults"] = [];
  const sections = Object.keys(whole).filter((key) => /^(?:steps|loops)(?: \(\d+\))?$/.test(key));
  const header = Object.fromEntries(Object.entries(whole).filter(([key]) => !sections.includes(key)));
  const fields = parseFields(header, { fields: documentFields, at: [], faults, blank: missingNameFault });
  checkHead({ faults }, whole);
  const drafts = sections.flatMap((key) => readSection({ faults }, whole[key], key));
  const execution = readExecution({ faults, files }, fields.execution);
  const links = linksOf(drafts);
  const names = namesOf(drafts, links);
  const reader: ReaderContext = { faults, calls: [], files, env: fields.env ?? {}, names, execution };
  checkElements(reader, drafts, sections);
  faults.push(...checkGraph(links, { afterKey: "needs", idKey: "name" }));
  const nodes = drafts.flatMap((rawStep, index): readonly Node[] => {
    const node = readElement(reader, rawStep, links[index]?.after ?? []);
    return node === undefined ? [] : [node];
  });
  const { calls } = reader;
  if (faults.some((fault) => !fault.warning)) return { faults, plan: undefined, calls };
  const output = drafts.at(-1)?.id;
  const { agent, model } = execution;
  const plan: Reading["plan"] = {
    name: fields.name ?? "",
    dialect: "loops",
    ...defined({ description: fields.description, agent, model }),
    inputs: {},
    agents: {},
    budget: {},
    body: {
      kind: "graph",
      nodes,
      atMost: execution.atMost,
      inOrder: true,
      onFailure: "stop",
      ...(output === undefined ? {} : { output: { node: output } }),
    },
  };
  return { faults, plan, calls };
}

function checkHead(reader: Pick<ReaderContext, "faults">, whole: Mapping): void {
  const { $schema } = whole;
  if (typeof $schema === "string" && $schema !== schema) {
    reportFault(reader, "BAD_VALUE", {
      message: `\`$schema\` must be ${schema}.`,
      at: ["$schema"],
      hint: `Write \`$schema: ${schema}\`.`,
    });
  }
  checkName(reader, whole);
}

function readSection(reader: Pick<ReaderContext, "faults">, value: unknown, key: string): readonly RawStep[] {
  if (value === null) return [];
  if (!Array.isArray(value)) {
    reportFault(reader, "BAD_VALUE", { message: `\`${key}\` must be a list.`, at: [key] });
    return [];
  }
  const readOne = key.startsWith("steps") ? parseRawStep : parseRawLoop;
  return value
    .slice(0, maxElements)
    .flatMap((element, index) => readOne(reader, element, [key, index]) ?? []);
}

function checkElements(reader: ReaderContext, drafts: readonly RawStep[], sections: readonly string[]): void {
  if (drafts.length > maxElements) {
    reportFault(reader, "LIMIT", {
      message: `The file has more than ${maxElements} steps and loops.`,
      at: [],
    });
  }
  if (drafts.length > 0 || reader.faults.some(({ at }) => sections.includes(String(at[0])))) return;
  reportFault(reader, "NO_NODES", {
    message: "The workflow has no steps and no loops.",
    at: sections.slice(0, 1),
  });
}
