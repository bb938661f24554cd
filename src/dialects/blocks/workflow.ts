import type { Reference } from "../../expressions/template.ts";
import type { CallNode } from "../../plan/plan.ts";
import { reportFault } from "../report-fault.ts";
import { readInputs } from "./inputs.ts";
import type { PartMaker, RawBlock, ReaderContext } from "./reader-context.ts";

/** The fields that a call adds to its node. */
export type CallPart = Pick<CallNode, "kind" | "call" | "catches" | "timeoutMs">;

/** Reads a block that runs another workflow, in a scope of its own. */
export function readWorkflow(reader: ReaderContext, rawBlock: RawBlock): PartMaker<CallPart> {
  const { fields, raw, at, id } = rawBlock;
  const { workflow_ref: workflow = "", on_error: onError, timeout_seconds: timeoutMs } = fields;
  const inputs = named(readInputs(reader, rawBlock));
  if (!Object.hasOwn(raw, "workflow_ref") || (fields.workflow_ref !== undefined && workflow.trim() === "")) {
    const message = `The block \`${id}\` needs a \`workflow_ref\`: the workflow it runs.`;
    reportFault(reader, "BAD_VALUE", { message, at, onKey: true });
  } else if (fields.workflow_ref !== undefined) {
    reader.calls.push({ workflow, at: [...at, "workflow_ref"], gives: Object.keys(inputs) });
  }
  const takes = takenBy(rawBlock);
  return ({ bindings }) => ({
    kind: "call",
    call: {
      kind: "call",
      workflow,
      with: Object.fromEntries(
        Object.entries({ ...named(bindings), ...inputs }).map(([name, reference]) => [name, [reference]]),
      ),
      ...(Object.keys(takes).length === 0 ? {} : { takes }),
    },
    ...(onError === "catch" ? { catches: "error" } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

const scopeName = /^(?:shared_memory|inputs|workflow|results)\./;

/** The names of the inputs in the child. */
const named = (bindings: Readonly<Record<string, Reference>>): Readonly<Record<string, Reference>> =>
  Object.fromEntries(Object.entries(bindings).map(([name, value]) => [name.replace(scopeName, ""), value]));

/** The child's results for the caller: names in the caller's memory, with paths into the child's scope. */
function takenBy({ fields }: RawBlock): Readonly<Record<string, Reference>> {
  return Object.fromEntries(
    Object.entries(fields.outputs ?? {}).flatMap(([name, path]) => {
      if (typeof path !== "string") return [];
      const [first = "", ...rest] = path.split(".");
      const isScope = scopeName.test(`${first}.`) && rest.length > 0;
      const [node = "", ...way] = isScope ? rest : [first, ...rest];
      const of = first === "shared_memory" ? "memory" : "outputs";
      return [[name.replace(scopeName, ""), { ref: "shared", of, name: node, way }] as const];
    }),
  );
}
