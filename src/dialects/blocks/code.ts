import type { ScriptNode } from "../../plan/plan.ts";
import { reportFault } from "../report-fault.ts";
import { readInputs } from "./inputs.ts";
import { checkJavascript } from "./javascript.ts";
import { dataVariable, javascriptProgram, pythonProgram } from "./program.ts";
import { checkPython, defaultImports } from "./python.ts";
import type { EnclosingContext, RawBlock, ReaderContext } from "./reader-context.ts";
import { usualTimeoutMs } from "./schema.ts";

/** The fields that a block of code adds to its node. */
export type CodePart = Pick<
  ScriptNode,
  "kind" | "runtime" | "source" | "deps" | "data" | "prints" | "timeoutMs"
>;

/** Reads a block of code. */
export function readCode(
  reader: ReaderContext,
  rawBlock: RawBlock,
): (enclosing: EnclosingContext) => CodePart {
  const { fields, raw, at, id } = rawBlock;
  const inputs = readInputs(reader, rawBlock);
  const { code = "", language = "python", allowed_imports: allowed = defaultImports } = fields;
  if (!Object.hasOwn(raw, "code") || (fields.code !== undefined && code.trim() === "")) {
    reportFault(reader, "BAD_VALUE", { message: `The block \`${id}\` needs \`code\`.`, at, onKey: true });
  } else if (fields.code !== undefined) {
    const faults = language === "python" ? checkPython(code, allowed) : checkJavascript(code);
    for (const fault of faults) reportFault(reader, "CODE_REJECTED", { ...fault, at: [...at, "code"] });
  }
  const program = language === "python" ? pythonProgram({ code, allowed }) : javascriptProgram({ code });
  return ({ bindings }) => ({
    kind: "script",
    runtime: language === "python" ? "python" : "node",
    source: { inline: [program] },
    deps: [],
    timeoutMs: fields.timeout_seconds ?? usualTimeoutMs.code,
    data: {
      variable: dataVariable,
      given: { ...bindings, ...inputs },
      outputs: ["results"],
      memory: ["shared_memory", "metadata"],
    },
    prints: "outcome",
  });
}
