import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type CompositeResult, type CompositeRun, runComposite } from "./run-composite.ts";

/** Runs a composite action with these steps in a workspace that contains only the given files. */
export async function runSteps(
  steps: string,
  { head = "", files = {}, ...options }: FixtureOptions = {},
): Promise<CompositeResult> {
  const text = `name: Test\ndescription: Test\n${head}\nruns:\n  using: composite\n  steps:\n${indented(steps)}`;
  return runFiles({ "action/action.yml": text, ...files }, options);
}

export interface FixtureOptions extends Omit<Partial<CompositeRun>, "actionDir" | "workspace"> {
  /** The text before `runs`: inputs and outputs. */
  readonly head?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs `action/action.yml` of these files. */
export async function runFiles(
  files: Readonly<Record<string, string>>,
  options: Omit<Partial<CompositeRun>, "actionDir" | "workspace"> = {},
): Promise<CompositeResult> {
  const workspace = await mkdtemp(join(tmpdir(), "workspace-"));
  onTestFinished(() => rm(workspace, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, name)), { recursive: true });
    await writeFile(join(workspace, name), text);
  }
  return runComposite({ ...options, workspace, actionDir: join(workspace, "action") });
}

function indented(steps: string): string {
  const lines = steps.replace(/^\n/, "").trimEnd().split("\n");
  const margin = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  return `${lines.map((line) => `    ${line.slice(margin)}`).join("\n")}\n`;
}
