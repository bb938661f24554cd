import type { Reference, Text } from "../../src/expressions/template.ts";
import type { ScriptNode } from "../../src/plan/plan.ts";

/** The code inside a program, which defines `main(data)`. */
export type CodeOf = (program: string) => string | undefined;

/** A value that a program reads from its data, and its reference in a text; or why there is none. */
export type Datum = Reference | { readonly because: string };

/**
 * A program that calls `main` and prints the result, as a native script with the data in its text. Returns why not if
 * that is impossible.
 */
export function printingScript(
  { runtime, code }: { readonly runtime: ScriptNode["runtime"]; readonly code: string },
  data: ReadonlyMap<string, Datum>,
): Text | { readonly because: string } {
  if (code.includes("exit_handle")) return { because: "Its code says by which exit it leaves." };
  const names = namesRead(code);
  if (names === undefined)
    return { because: "Its code looks at its data as a whole, not only at names that stand in it." };
  const named: [string, Reference][] = [];
  for (const name of names) {
    const datum = data.get(name);
    if (datum !== undefined && "because" in datum) return datum;
    if (datum !== undefined) named.push([name, datum]);
  }
  const [before, after] = runtime === "python" ? python(code) : javascript(code);
  const entries = named.flatMap(([name, reference], index): Text => {
    const key = `${index === 0 ? "" : ", "}${JSON.stringify(name)}: `;
    const isNumber = reference.ref === "value" && reference.name === "LOOP_ITERATION";
    const [open, close] = isNumber ? [runtime === "python" ? 'int("' : 'Number("', '")'] : ['"', '"'];
    return [key + open, reference, close];
  });
  return [before, ...entries, after];
}

/** The data names that code reads; `undefined` if it may read others too. */
function namesRead(code: string): ReadonlySet<string> | undefined {
  if (takesNothing.test(code)) return new Set();
  const [, variable] = takesOne.exec(code) ?? [];
  if (variable === undefined) return undefined;
  const uses = code.match(new RegExp(`\\b${variable}\\b`, "g"))?.length ?? 0;
  const literal = String.raw`(?:\[|\.get\()\s*(["'])([^"'\\]+)\1\s*[\]),]|\.(\w+)\b(?!\s*\()`;
  const reads = [...code.matchAll(new RegExp(`\\b${variable}(?:${literal})`, "g"))];
  const names = new Set(reads.flatMap(([, , quoted, plain]) => quoted ?? plain ?? []));
  const isWhole = ["results", "shared_memory", "metadata"].some((name) => names.has(name));
  // Once for main's own parameter.
  return reads.length + 1 === uses && !isWhole ? names : undefined;
}

const takesNothing = /\bmain\s*(?:=\s*(?:async\s*)?(?:function\s*)?)?\(\s*\)/;
const takesOne = /\bmain\s*(?:\(|=\s*(?:async\s*)?(?:function\s*)?\(?)\s*(\w+)\s*[:=),]/;

const python = (code: string): readonly [string, string] => [
  `import contextlib, json, sys

${code.trimEnd()}

def _told(data):
    try:
        with contextlib.redirect_stdout(sys.stderr):
            outcome = main(data)
        return outcome if isinstance(outcome, str) else json.dumps(outcome, ensure_ascii=False)
    except Exception as error:
        return "Error: " + type(error).__name__ + ": " + str(error)

print(_told({`,
  "}))\n",
];

const javascript = (code: string): readonly [string, string] => [
  `console.log = console.error;

${code.trimEnd()}

const _told = (outcome) => (typeof outcome === "string" ? outcome : JSON.stringify(outcome ?? null));
const _failed = (error) => "Error: " + error.name + ": " + error.message;
Promise.resolve({`,
  '}).then(main).then(_told).catch(_failed).then((text) => process.stdout.write(text + "\\n"));\n',
];
