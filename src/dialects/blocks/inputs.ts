import type { Reference } from "../../expressions/template.ts";
import { isMapping, type SourcePath } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { didYouMean, namesHere } from "../value-remedy.ts";
import { branchIds } from "./branches.ts";
import type { RawBlock, ReaderContext } from "./reader-context.ts";

/** Reads the inputs that a block declares, by the names it uses. */
export function readInputs(
  reader: ReaderContext,
  { fields, at }: RawBlock,
): Readonly<Record<string, Reference>> {
  const inputs = Object.entries(fields.inputs ?? {}).flatMap(([name, value]) => {
    const place = [...at, "inputs", name];
    const source = isMapping(value) ? value["from"] : value;
    if (typeof source !== "string" || source.trim() === "") {
      const hint = "Write from: and a block, a part of its output, or shared_memory.NAME.";
      reportFault(reader, "BAD_VALUE", {
        message: `The input \`${name}\` does not name its source.`,
        at: place,
        hint,
      });
      return [];
    }
    const reference = readReference(reader, source.trim(), isMapping(value) ? [...place, "from"] : place);
    return reference === undefined ? [] : [[name, reference] as const];
  });
  return Object.fromEntries(inputs);
}

const memories: ReadonlySet<string> = new Set(["shared_memory", "metadata", "inputs"]);

/** A path into the shared scope: `draft`, `draft.title`, `results.draft`, `shared_memory.name`. */
export function readReference(reader: ReaderContext, source: string, at: SourcePath): Reference | undefined {
  const [first = "", ...rest] = source.split(".");
  const [second, ...further] = rest;
  if (source === "workflow.message") return { ref: "value", name: "USER_MESSAGE" };
  if (first === "results" && second !== undefined) return ofBlock(reader, [second, further], at);
  if (memories.has(first) && second !== undefined) return inMemory(second, further);
  if (first === "workflow" && second !== undefined) return ofCaller(reader, [second, further], at);
  if (!reader.ids.has(first) && reader.remembered.has(first)) return inMemory(first, rest);
  return ofBlock(reader, [first, rest], at);
}

const inMemory = (name: string, way: readonly string[]): Reference => ({
  ref: "shared",
  of: "memory",
  name,
  way,
});

function ofCaller(
  reader: ReaderContext,
  [name, way]: readonly [string, readonly string[]],
  at: SourcePath,
): Reference | undefined {
  if (reader.remembered.has(name)) return inMemory(name, way);
  const hint =
    didYouMean(name, [...reader.remembered]) ?? `Declare it at the top: inputs: {${name}: {type: string}}.`;
  return reportFault(reader, "UNKNOWN_REFERENCE", { message: `There is no input \`${name}\`.`, at, hint });
}

function ofBlock(
  reader: ReaderContext,
  [name, way]: readonly [string, readonly string[]],
  at: SourcePath,
): Reference | undefined {
  const [first, ...further] = way;
  const branch = `${name}.${first}`;
  if (first !== undefined && isOutput(reader, branch))
    return { ref: "shared", of: "outputs", name: branch, way: further };
  if (reader.ids.has(name)) return { ref: "shared", of: "outputs", name, way };
  const hint = namesHere(name, [...reader.blocks.keys(), ...reader.remembered], "blocks");
  return reportFault(reader, "UNKNOWN_REFERENCE", { message: `There is no block \`${name}\`.`, at, hint });
}

/** True if the file defines an output of this name: a block's, or `BLOCK.EXIT` of a dispatch. */
export function isOutput({ ids, blocks }: ReaderContext, name: string): boolean {
  if (ids.has(name)) return true;
  const [block = "", exit = "", ...rest] = name.split(".");
  const rawBlock = blocks.get(block);
  return rest.length === 0 && rawBlock !== undefined && branchIds(rawBlock).includes(exit);
}
