import type { Graph, Plan } from "../../plan/plan.ts";
import { isMapping, type ParsedFields } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import type { ReaderContext } from "./reader-context.ts";
import type { documentFields } from "./schema.ts";

interface Declared {
  readonly fields: ParsedFields<typeof documentFields>;
  readonly graph: Graph;
  readonly nodes: readonly unknown[];
}

/** The field of the workflow's result that reports whether its work succeeded; the answer must always have it. */
export function readOutcome(
  reader: ReaderContext,
  { fields: { outcome_field: field, returns }, graph, nodes }: Declared,
): Pick<Plan, "outcome"> {
  const node = typeof graph.output === "object" ? graph.output.node : undefined;
  if (field === undefined || (returns !== undefined && node === undefined)) return {};
  const at = ["outcome_field"];
  if (node === undefined) {
    const hint = "Write `returns: ID`, the node whose result has the field.";
    reportFault(reader, "BAD_VALUE", { message: "`outcome_field` needs `returns`.", at, hint });
    return {};
  }
  if (!nodes.some((it) => isMapping(it) && it["id"] === node && alwaysSays(it["output_format"], field))) {
    const message = `The \`output_format\` of \`${node}\` does not require a boolean \`${field}\`.`;
    const hint = `Declare it as \`${field}: { type: boolean }\`, and list it under \`required\`.`;
    reportFault(reader, "BAD_VALUE", { message, at, hint });
    return {};
  }
  return { outcome: { node, field } };
}

function alwaysSays(schema: unknown, field: string): boolean {
  if (!isMapping(schema) || !isMapping(schema["properties"]) || !Array.isArray(schema["required"]))
    return false;
  const { properties, required } = schema;
  const declared = Object.hasOwn(properties, field) ? properties[field] : undefined;
  return isMapping(declared) && declared["type"] === "boolean" && required.includes(field);
}
