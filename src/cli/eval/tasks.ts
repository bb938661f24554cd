import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { readSource } from "../../local/workflow-files.ts";
import { UsageError } from "../exit.ts";

/** A project with a failing check, for agents to fix. */
export interface Task {
  readonly name: string;
  /** The project, as an absolute path; agents work in copies of it. */
  readonly folder: string;
  readonly prompt: string;
  /** A bash command; the task is solved if it exits with 0. */
  readonly check: string;
  readonly protect: readonly string[];
  readonly maxIterations: number;
}

/** Built on demand: few commands need it. */
function fileSchema() {
  const settings = {
    prompt: z.string().min(1),
    check: z.string().min(1),
    protect: z.array(z.string()),
    max_iterations: z.int().positive(),
  };
  const defaults = z.strictObject(settings).partial();
  const name = z.string().regex(/^[\w.-]+$/, "may have letters, digits, `.`, `-` and `_`");
  const task = z.strictObject({ name, folder: z.string().min(1), ...defaults.shape });
  return z.strictObject({ defaults: defaults.default({}), tasks: z.array(task).min(1) });
}

/** Reads the tasks of a file; folders are relative to it. Throws `UsageError` with the file and the key. */
export function readTasks(file: string, cwd: string): readonly Task[] {
  const { defaults, tasks } = parsed(readSource(file, cwd).text, file);
  const names = new Set<string>();
  return tasks.map((task, index) => {
    const where = `${file}: tasks[${index}]`;
    if (names.has(task.name)) throw new UsageError(`${where}: there is a task ${task.name} already`);
    names.add(task.name);
    const folder = resolve(cwd, dirname(file), task.folder);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${where}: there is no folder ${task.folder}`);
    const check = task.check ?? defaults.check;
    if (check === undefined) throw new UsageError(`${where}: \`check\` is missing, here and in \`defaults\``);
    const prompt = task.prompt ?? defaults.prompt ?? promptFor(check);
    const protect = task.protect ?? defaults.protect ?? [];
    return {
      name: task.name,
      folder,
      prompt,
      check,
      protect,
      maxIterations: task.max_iterations ?? defaults.max_iterations ?? 3,
    };
  });
}

const promptFor = (check: string) =>
  `\`${check}\` fails. Find the cause in the source and fix it; do not change the tests. Output of the last run: $LOOP_CHECK_OUTPUT`;

function parsed(text: string, file: string) {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not YAML: ${(error as Error).message}`);
  }
  const read = fileSchema().safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("");
  throw new UsageError(`${file}: ${path?.replace(/^\./, "") || "the file"}: ${issue?.message}`);
}
