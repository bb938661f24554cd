import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { NoOperationTraceWriter } from "@actions/workflow-parser";
import { parseAction } from "@actions/workflow-parser/actions/index";
import { parse } from "yaml";
import { z } from "zod";

export const scalar = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? "" : String(value)));
export const texts = z.record(z.string(), scalar).default({});

/** One step, of an action or of a job. */
export const step = z.object({
  id: z.string().optional(),
  name: scalar.optional(),
  if: scalar.optional(),
  run: z.string().optional(),
  shell: z.string().optional(),
  uses: z.string().optional(),
  with: texts,
  env: texts,
  "working-directory": z.string().optional(),
  "continue-on-error": scalar.optional(),
});

const action = z.object({
  inputs: z.record(z.string(), z.object({ default: scalar.optional() }).nullable()).default({}),
  outputs: z.record(z.string(), z.object({ value: scalar.optional() })).default({}),
  runs: z.union([
    z.object({ using: z.literal("composite"), steps: z.array(step) }),
    z.object({ using: z.string().startsWith("node"), main: z.string(), post: z.string().optional() }),
  ]),
});

export type Action = z.infer<typeof action>;
export type Step = z.infer<typeof step>;

/** Reads the action in a folder with GitHub's own parser; throws with all errors found. */
export async function readAction(dir: string): Promise<Action> {
  const file = ["action.yml", "action.yaml"].map((name) => join(dir, name)).find(existsSync);
  if (file === undefined) throw new Error(`there is no action.yml in ${dir}`);
  const content = await readFile(file, "utf8");
  const errors = parseAction(
    { name: file, content },
    new NoOperationTraceWriter(),
  ).context.errors.getErrors();
  if (errors.length > 0) throw new Error(errors.map((error) => error.message).join("\n"));
  return action.parse(parse(content));
}
