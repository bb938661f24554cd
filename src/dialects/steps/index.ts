import type { Dialect } from "../dialect.ts";
import { readerOf } from "../lazy-reader.ts";
import { isMapping } from "../parse-fields.ts";

/** zenflow's workflow files: `agents:` and `steps:`, some of which are loops. */
export const steps: Dialect = { name: "steps", claims, read: readerOf(() => import("./read.ts")) };

const others = ["nodes", "blocks", "loops", "execution", "$schema"];

function claims(document: unknown): boolean {
  if (!isMapping(document) || !Object.hasOwn(document, "steps")) return false;
  return !others.some((key) => Object.hasOwn(document, key)) && !isTemplate(document) && !isArchons(document);
}

/** A template of mcp-cli's first version: settings under `config`, and steps with a name but no id. */
const isTemplate = ({ config, steps }: Readonly<Record<string, unknown>>): boolean =>
  isMapping(config) &&
  Array.isArray(steps) &&
  steps.every((step) => isMapping(step) && Object.hasOwn(step, "name") && !Object.hasOwn(step, "id"));

/** Steps of Archon's first versions: commands without ids, one after another or in parallel. */
const isArchons = ({ steps }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(steps) &&
  steps.length > 0 &&
  steps.every(
    (step) =>
      isMapping(step) &&
      !Object.hasOwn(step, "id") &&
      (Object.hasOwn(step, "command") || Object.hasOwn(step, "parallel")),
  );
