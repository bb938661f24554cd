import { joined } from "../../expressions/brace-template.ts";
import type { Reference, Text } from "../../expressions/template.ts";
import type { Call } from "../../plan/plan.ts";
import type { SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import type { ReaderContext } from "./reader-context.ts";
import { readText, type TemplateSource } from "./templates.ts";

export interface CallSource {
  readonly workflow: string;
  /** The position of its name. */
  readonly at: SourcePath;
  readonly parameters: Readonly<Record<string, string>> | undefined;
  /** The position of the mapping with the parameters. */
  readonly place: SourcePath;
  readonly element: string;
  readonly loop?: Readonly<Record<string, Reference>>;
  /** The workflow's message if there are no parameters. */
  readonly message: Text;
}

/** Reads a call of another workflow: each parameter becomes a variable there, and all of them together its input. */
export function readCall(reader: ReaderContext, source: CallSource): Call | undefined {
  const { workflow, at, parameters = {}, place, element, loop } = source;
  if (workflow.trim() === "" || workflow.split(/[/\\]/).includes(".."))
    return reportFault(reader, "BAD_VALUE", {
      message: `\`${workflow}\` cannot be the name of a workflow.`,
      at,
      hint: "Write the `name` in its file, or its path without `..`.",
    });
  const values = Object.entries(parameters).map(([name, text]): readonly [string, Text] => {
    const written: TemplateSource = { source: text, at: [...place, "with", name], element };
    return [name, readText(reader, loop === undefined ? written : { ...written, loop })];
  });
  const texts = Object.fromEntries([...callerTexts(reader, loop), ...values]);
  reader.calls.push({ workflow, at, gives: Object.keys(texts) });
  return { kind: "call", workflow, with: texts, message: messageOf(values, source.message) };
}

/** What a called workflow gets besides its parameters: the calling loop, and the caller's `env`. */
function callerTexts({ env }: ReaderContext, loop: CallSource["loop"]): readonly (readonly [string, Text])[] {
  const ofLoop = Object.entries(loop ?? {}).map(([name, reference]) => [name, [reference]] as const);
  const ofFile = Object.entries(env).map(
    ([name, text]) => [`env.${name}`, text === "" ? [] : [text]] as const,
  );
  return [...ofLoop, ...ofFile];
}

/** A parameter called `input`, else all parameters as lines, else the caller's message. */
function messageOf(values: readonly (readonly [string, Text])[], message: Text): Text {
  const input = values.find(([name]) => name === "input");
  if (input !== undefined) return input[1];
  if (values.length === 0) return message;
  return joined(values.flatMap(([name, text], index) => [`${index === 0 ? "" : "\n"}${name}: `, ...text]));
}
