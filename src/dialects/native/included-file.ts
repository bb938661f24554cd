import { isMapping, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import type { ReaderContext } from "./reader-context.ts";

type Mapping = Readonly<Record<string, unknown>>;

/** An included workflow, as written. */
export interface IncludedFile {
  readonly file: string;
  readonly document: Mapping;
  readonly nodes: readonly unknown[];
}

interface Source {
  readonly name: string;
  readonly at: SourcePath;
  /** The chain of including files. */
  readonly stack: readonly string[];
}

/** Reads the workflow that a node includes; an error if it has no nodes. */
export function readIncluded(reader: ReaderContext, { name, at, stack }: Source): IncludedFile | undefined {
  const source = name.split(/[/\\]/).includes("..") ? undefined : reader.files.workflow(name);
  if (source === undefined) {
    const hint = "Workflows are searched for next to the file, in .github/loops/ and .archon/workflows/.";
    return reportFault(reader, "UNKNOWN_WORKFLOW", {
      message: `There is no workflow \`${name}\`.`,
      at,
      hint,
    });
  }
  if (stack.includes(source.file)) {
    const path = [...stack, source.file].join(" → ");
    return reportFault(reader, "CALL_CYCLE", { message: `These workflows include each other: ${path}.`, at });
  }
  const { value, because } = reader.files.parse?.(source.text) ?? {};
  const nodes = isMapping(value) ? value["nodes"] : undefined;
  if (isMapping(value) && Array.isArray(nodes) && because === undefined)
    return { file: source.file, document: value, nodes };
  const hint = "Only files with `nodes:` can be included; `workflow:` calls any other.";
  const message = `The workflow \`${name}\` cannot be included: ${because ?? "it has no `nodes`."}`;
  return reportFault(reader, "BAD_VALUE", { message, at, hint });
}

/** The texts of the inputs that an included workflow declares and its caller passes. */
export function includedInputs(
  reader: ReaderContext,
  { document, inputs, at }: { document: Mapping; inputs: Mapping; at: SourcePath },
): ReadonlyMap<string, string> {
  const declared = isMapping(document["inputs"]) ? document["inputs"] : undefined;
  for (const name of Object.keys(inputs)) {
    if (declared === undefined || Object.hasOwn(declared, name)) continue;
    const message = `The included workflow declares no input \`${name}\`.`;
    reportFault(reader, "UNKNOWN_REFERENCE", { message, at: [...at, "with", name], onKey: true });
  }
  const fallbacks = Object.entries(declared ?? {}).flatMap(([name, input]) => {
    if (isMapping(input) && Object.hasOwn(input, "default")) return [[name, input["default"]] as const];
    if (Object.hasOwn(inputs, name)) return [];
    const hint = `Add with: {${name}: …}.`;
    const message = `The included workflow needs the input \`${name}\`.`;
    reportFault(reader, "BAD_VALUE", { message, at: [...at, "include"], hint });
    return [];
  });
  return new Map(
    [...fallbacks, ...Object.entries(inputs)].map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}
