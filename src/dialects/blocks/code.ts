import type { ScriptNode } from "../../plan/plan.ts";
import { reportFault } from "../report-fault.ts";
import { readInputs } from "./inputs.ts";
import { dataVariable, javascriptProgram, pythonProgram } from "./program.ts";
import { type CodeFault, checkPython, defaultImports } from "./python.ts";
import type { PartMaker, RawBlock, ReaderContext } from "./reader-context.ts";
import { usualTimeoutMs } from "./schema.ts";

/** The fields that a block of code adds to its node. */
export type CodePart = Pick<
  ScriptNode,
  "kind" | "runtime" | "source" | "deps" | "data" | "prints" | "timeoutMs"
>;

/** Reads a block of code. */
export function readCode(reader: ReaderContext, rawBlock: RawBlock): PartMaker<CodePart> {
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

const refused =
  /(?<![\w$.])(?:require|process|eval|Function|globalThis|global|import|module|exports)(?![\w$])|\.\s*(?:constructor|__proto__)(?![\w$])/g;
const stringOrComment = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/g;

/** Static checks of a program in JavaScript. */
function checkJavascript(code: string): readonly CodeFault[] {
  const fault = syntaxFault(code);
  if (fault !== undefined) return [{ message: `The code does not parse: ${fault}.`, offset: 0 }];
  const text = code.replaceAll(stringOrComment, (part) => " ".repeat(part.length));
  const faults: CodeFault[] = [...text.matchAll(refused)].map(({ 0: name, index }) => ({
    message: `The code may not use \`${name.replace(/^\.\s*/, "")}\`.`,
    offset: index,
  }));
  if (!/(?<![\w$.])(?:function|const|let|var)\s+main(?![\w$])/.test(text)) {
    faults.push({
      message: "The code defines no `main(data)`.",
      offset: 0,
      hint: "Write function main(data) { … }.",
    });
  }
  return faults;
}

/** Only parses: creating a function without calling it runs nothing. */
function syntaxFault(code: string): string | undefined {
  try {
    new Function(code);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
