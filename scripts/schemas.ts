import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { blocksSchema } from "./schemas/blocks.ts";
import { loopsSchema } from "./schemas/loops.ts";
import type { Schema } from "./schemas/mapping.ts";
import { nativeSchema } from "./schemas/native.ts";
import { stepsSchema } from "./schemas/steps.ts";

/** The JSON schema of each language's files, for editors: one file each in `schemas/`. */
export const schemas: Readonly<Record<string, Schema>> = {
  native: nativeSchema,
  loops: loopsSchema,
  steps: stepsSchema,
  blocks: blocksSchema,
};

/** The URL where editors find them. */
const home = "https://raw.githubusercontent.com/until-green/until-green/v1/schemas";

/** A schema as text of its file. */
export function schemaText(name: string): string {
  const head = { $schema: "http://json-schema.org/draft-07/schema#", $id: `${home}/${name}.json` };
  return `${JSON.stringify({ ...head, ...schemas[name] }, undefined, 2)}\n`;
}

if (import.meta.main) {
  mkdirSync("schemas", { recursive: true });
  for (const name of Object.keys(schemas)) {
    const file = `schemas/${name}.json`;
    const before = readOrNothing(file);
    const after = schemaText(name);
    if (after !== before) writeFileSync(file, after);
    console.log(`${file}: ${after === before ? "as it was" : "written"}`);
  }
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
