import type { Text } from "../../expressions/template.ts";
import { inputVariable } from "../../expressions/variables.ts";
import type { ScriptNode } from "../../plan/plan.ts";
import { isMapping, type SourcePath } from "../parse-fields.ts";
import { reportFault, reportKeys } from "../report-fault.ts";
import type { RawStep, StepContext } from "./raw-step.ts";
import type { ReaderContext } from "./reader-context.ts";

/** Values are passed in the environment, never as source. Paths stay in the checkout. */
const inside = `
const [fs, path] = ["node:fs", "node:path"].map((name) => process.getBuiltinModule(name));
const file = path.resolve(process.env.INPUTS_PATH);
const real = (name) => (fs.existsSync(name) ? fs.realpathSync(name) : path.join(real(path.dirname(name)), path.basename(name)));
const way = path.relative(fs.realpathSync("."), real(file));
if (way === ".." || way.startsWith("../") || path.isAbsolute(way)) throw new Error(file + " is outside the checkout");
`;

/** The parameters that a tool requires, and an equivalent program. */
const tools: Readonly<Record<string, { readonly needs: readonly string[]; readonly program: string }>> = {
  read: { needs: ["path"], program: `${inside}process.stdout.write(fs.readFileSync(file));\n` },
  write: {
    needs: ["path", "content"],
    program: `${inside}fs.mkdirSync(path.dirname(file), { recursive: true });
fs.writeFileSync(file, process.env.INPUTS_CONTENT ?? fs.readFileSync(process.env.INPUTS_CONTENT_FILE));
console.log("ok");
`,
  },
  // A failing command does not fail the step: the output and exit code are the step's output.
  bash: {
    needs: ["command"],
    program: `
const { spawnSync } = process.getBuiltinModule("node:child_process");
const { readFileSync } = process.getBuiltinModule("node:fs");
const command = process.env.INPUTS_COMMAND ?? readFileSync(process.env.INPUTS_COMMAND_FILE, "utf8");
const { stdout, stderr, status, error } = spawnSync("sh", ["-c", command], { encoding: "utf8", maxBuffer: 2 ** 24 });
process.stdout.write(stdout + stderr + (error ? error.message : status ? "exit status " + status : ""));
`,
  },
};

const notWithTool = ["agent", "instructions", "loop", "include", "contextFiles", "model"];

/** A step that calls a tool instead of an agent. */
export function readToolStep(
  reader: ReaderContext,
  { fields, raw, at }: RawStep,
  { base, visible, call }: StepContext,
): ScriptNode | undefined {
  const message = (key: string) => `A step that calls a tool has no \`${key}\`.`;
  reportKeys(reader, "ONE_KIND", { keys: notWithTool, object: raw, at, message });
  if (fields.tool === undefined) return undefined;
  const tool = Object.hasOwn(tools, fields.tool) ? tools[fields.tool] : undefined;
  if (tool === undefined) {
    const message = `A step cannot call the tool \`${fields.tool}\`.`;
    const hint = `Steps can call ${Object.keys(tools).join(", ")}; an agent's step can use any tool.`;
    return reportFault(reader, "BAD_VALUE", { message, at: [...at, "tool"], hint });
  }
  const toolInput = isMapping(raw["toolInput"]) ? raw["toolInput"] : {};
  for (const name of tool.needs.filter((it) => !Object.hasOwn(toolInput, it))) {
    const message = `The tool \`${fields.tool}\` needs the input \`${name}\`.`;
    reportFault(reader, "BAD_VALUE", { message, at: [...at, "tool"] });
  }
  const env = Object.entries(toolInput).map(([name, value]) => {
    const place = [...at, "toolInput", name];
    return [inputVariable(name), readValue(reader, { value, at: place, ids: visible.ids })] as const;
  });
  const timeoutMs = fields.timeout ?? call.timeoutMs;
  return {
    ...base,
    kind: "script",
    runtime: "node",
    source: { inline: [tool.program] },
    deps: [],
    env: Object.fromEntries(env),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

interface Value {
  readonly value: unknown;
  readonly at: SourcePath;
  readonly ids: readonly string[];
}

const stepPattern =
  /^\$\s*steps\s*(?:\.\s*([A-Za-z][\w-]*)|\[\s*(?:"([\w-]+)"|'([\w-]+)')\s*\])\s*\.\s*(?:content|result\.(\w+))\s*$/;

/** A text that starts with `$` references a step's output; `$$` is a literal dollar sign. */
function readValue(reader: ReaderContext, { value, at, ids }: Value): Text {
  if (typeof value !== "string") return [JSON.stringify(value)];
  if (!value.startsWith("$")) return [value];
  if (value.startsWith("$$")) return [value.slice(1)];
  const [whole, dotted, one, other, field] = stepPattern.exec(value) ?? [];
  const node = dotted ?? one ?? other;
  if (whole === undefined || node === undefined) {
    const message = "An input of a tool names `content` or a field of `result` of one step.";
    const hint = 'Write $steps["id"].content or $steps["id"].result.field.';
    reportFault(reader, "BAD_EXPRESSION", { message, at, hint });
    return [];
  }
  if (!ids.includes(node))
    reportFault(reader, "UNKNOWN_REFERENCE", { message: `There is no step \`${node}\` here.`, at });
  return [{ ref: "output", node, ...(field === undefined ? {} : { field }) }];
}
