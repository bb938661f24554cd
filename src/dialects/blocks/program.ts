import { neverImported } from "./python.ts";

/** The variable that contains the data of a block's program. */
export const dataVariable = "UNTIL_GREEN_DATA";

/** Maximum length of a program's printed result, in characters. */
const most = 200_000;

interface Code {
  readonly code: string;
  readonly allowed: readonly string[];
}

/**
 * A program that wraps a block's code: reads the data, calls `main`, prints the result. Output of the code itself
 * goes to stderr. Python's own parser checks the same rules again.
 */
export const pythonProgram = ({ code, allowed }: Code): string => `import sys
sys.path = [folder for folder in sys.path if folder]
import ast, json, os

CODE = ${JSON.stringify(code)}
ALLOWED = ${JSON.stringify(allowed)}
NEVER = ${JSON.stringify(neverImported)}
REFUSED = {"open", "eval", "exec", "compile", "getattr", "setattr", "delattr", "globals", "locals", "vars", "input", "breakpoint", "__import__"}

def may_import(name):
    return name.split(".")[0] not in NEVER and any(name == it or name.startswith(it + ".") for it in ALLOWED)

def refusal(node):
    if isinstance(node, ast.Import):
        return next(("import of " + it.name for it in node.names if not may_import(it.name)), None)
    if isinstance(node, ast.ImportFrom) and not may_import(node.module or ""):
        return "import of " + (node.module or ".")
    if isinstance(node, ast.Name) and (node.id in REFUSED or node.id in ("__builtins__", "__loader__", "__spec__")):
        return "use of " + node.id
    if isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr.endswith("__"):
        return "use of " + node.attr
    return None

def stop(line, why):
    sys.stderr.write("CODE_REJECTED line %s: %s\\n" % (line, why))
    sys.exit(1)

try:
    tree = ast.parse(CODE, "code")
except SyntaxError as error:
    stop(error.lineno, error.msg)
for node in ast.walk(tree):
    why = refusal(node)
    if why:
        stop(getattr(node, "lineno", 0), why)

def read():
    path = os.environ.get("${dataVariable}_FILE")
    if path is None:
        return json.loads(os.environ.get("${dataVariable}", "{}"))
    with open(path, encoding="utf-8") as file:
        return json.load(file)

def outcome(result):
    left = None
    if isinstance(result, dict) and isinstance(result.get("exit_handle"), str):
        left = result["exit_handle"]
        result = {key: value for key, value in result.items() if key != "exit_handle"}
    try:
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        return {"output": "Error: the result is no JSON: %s" % error}
    return {"output": text, "exit": left} if left else {"output": text}

def run():
    try:
        names = {"__name__": "block"}
        exec(compile(tree, "code", "exec"), names)
        return outcome(names["main"](DATA))
    except BaseException as error:
        return {"output": "Error: %s: %s" % (type(error).__name__, error), "exit": "error"}

DATA = read()
real = sys.stdout
sys.stdout = sys.stderr
printed = json.dumps(run())
if len(printed) > ${most}:
    printed = json.dumps({"output": "Error: the result is too long: %d characters, and ${most} may be" % len(printed), "exit": "error"})
real.write(printed)
real.flush()
`;

/** The same for JavaScript. */
export const javascriptProgram = ({ code }: Pick<Code, "code">): string => `"use strict";
const { readFileSync, writeSync } = require("node:fs");
const path = process.env["${dataVariable}_FILE"];
const data = JSON.parse(path === undefined ? (process.env["${dataVariable}"] ?? "{}") : readFileSync(path, "utf8"));
for (const word of ["log", "info", "debug"]) console[word] = console.error;

function outcome(result) {
  let exit;
  let value = result;
  if (value !== null && typeof value === "object" && typeof value.exit_handle === "string") {
    ({ exit_handle: exit, ...value } = value);
  }
  const output = typeof value === "string" ? value : JSON.stringify(value ?? null);
  if (output === undefined) return { output: "Error: the result is no JSON" };
  return exit ? { output, exit } : { output };
}

async function run() {
  try {
    const main = new Function(${JSON.stringify(code)} + "\\n;return main;")();
    return outcome(await main(data));
  } catch (error) {
    return { output: "Error: " + (error instanceof Error ? error.name + ": " + error.message : String(error)), exit: "error" };
  }
}

run().then((end) => {
  let printed = JSON.stringify(end);
  if (printed.length > ${most}) {
    printed = JSON.stringify({ output: "Error: the result is too long: " + printed.length + " characters, and ${most} may be", exit: "error" });
  }
  for (let rest = Buffer.from(printed); rest.length > 0; ) rest = rest.subarray(writeSync(1, rest));
  process.exit(0);
});
`;

/** The block's code in such a program; `undefined` for any other program. */
export function codeIn(program: string): string | undefined {
  const [, written] =
    /^CODE = (".*")$/m.exec(program) ??
    /^ {4}const main = new Function\((".*") \+ "\\n;return main;"\)\(\);$/m.exec(program) ??
    [];
  return written === undefined ? undefined : (JSON.parse(written) as string);
}
