import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { git } from "../adapters/workspace/git.ts";
import type { RunFacts } from "../engine/event.ts";
import type { Plan } from "../plan/plan.ts";
import { planText } from "../report/plan-page.ts";
import { printDiagnostics } from "./diagnostics.ts";
import { driveRun } from "./drive.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { compileFile, findWorkflow, type SourceFile, slugOf } from "./files.ts";
import type { CommonOptions } from "./program.ts";
import { findPlace, type Place } from "./world.ts";

export interface RunOptions extends CommonOptions {
  readonly input?: readonly string[];
  readonly agent?: string;
  readonly model?: string;
  readonly runId?: string;
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
  readonly maxMinutes?: number;
  readonly dryRun?: boolean;
  readonly prompt?: string;
  readonly until?: string;
  readonly untilBash?: string;
  readonly maxIterations?: number;
  readonly freshContext?: boolean;
  readonly protect?: readonly string[];
}

interface RunCommand {
  readonly workflow: string | undefined;
  readonly message: string;
  readonly options: RunOptions;
}

/** `until-green run`: compiles a workflow, or an inline loop, and drives it to its first pause or its end. */
export async function runCommand({ workflow, message, options }: RunCommand): Promise<ExitCode> {
  const cwd = resolve(options.cwd ?? ".");
  // A message may stand where the workflow would when the loop is inline.
  const inline = options.prompt !== undefined;
  const source = inline ? inlineLoop(options, cwd) : findWorkflow(named(workflow), cwd);
  const words = inline ? [workflow, message].filter(Boolean).join(" ") : message;
  const compiled = compileFile(source, cwd);
  const code = printDiagnostics(compiled.ok ? compiled.warnings : compiled.diagnostics, options);
  if (!compiled.ok) return code;
  const inputs = inputsOf(compiled.plan, options.input ?? []);
  if (options.dryRun) {
    if (!options.json) process.stdout.write(planText(compiled.plan));
    return exit.ok;
  }
  const place = await findPlace(options);
  const facts = await factsOf(place, { source, plan: compiled.plan, message: words, inputs, options });
  return await driveRun(place, options, { begin: { plan: compiled.plan, facts } });
}

function named(workflow: string | undefined): string {
  if (workflow !== undefined) return workflow;
  throw new UsageError("say which workflow to run, or give an inline loop: --prompt TEXT --until-bash CMD");
}

/** An inline loop is a workflow like any other, written by the command line. */
function inlineLoop(options: RunOptions, cwd: string): SourceFile {
  const { prompt = "", until, untilBash, maxIterations = 10, freshContext, protect } = options;
  const loop = {
    prompt: prompt.startsWith("@") ? readPrompt(resolve(cwd, prompt.slice(1))) : prompt,
    ...(until === undefined ? {} : { until }),
    ...(untilBash === undefined ? {} : { until_bash: untilBash }),
    max_iterations: maxIterations,
    ...(freshContext ? { fresh_context: true } : {}),
    ...(protect === undefined ? {} : { protect }),
  };
  return { file: "command line", text: JSON.stringify({ name: "inline", nodes: [{ id: "loop", loop }] }) };
}

function readPrompt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`the prompt file cannot be read: ${(error as Error).message}`);
  }
}

function inputsOf(plan: Plan, given: readonly string[]): Readonly<Record<string, string>> {
  const inputs = new Map(Object.entries(plan.inputs).flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value] as const])));
  for (const pair of given) {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`--input ${pair}: say KEY=VALUE`);
    inputs.set(name, value);
  }
  const missing = Object.keys(plan.inputs).filter((name) => !inputs.has(name));
  if (missing.length > 0) throw new UsageError(`the workflow needs ${missing.map((name) => `-i ${name}=…`).join(" and ")}`);
  return Object.fromEntries(inputs);
}

interface About {
  readonly source: SourceFile;
  readonly plan: Plan;
  readonly message: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly options: RunOptions;
}

const runIds = /^[a-z0-9][a-z0-9-]{5,63}$/;

async function factsOf(place: Place, { source, plan, message, inputs, options }: About): Promise<RunFacts> {
  const { agent, model, maxCostUsd, maxTokens } = options;
  const run = options.runId ?? `${slugOf(plan.name)}-${randomBytes(4).toString("hex")}`;
  if (!runIds.test(run)) {
    throw new UsageError(`--run-id ${run}: 6 to 64 small letters, digits and hyphens, beginning with a letter or digit`);
  }
  return {
    run,
    message,
    inputs,
    file: source.file,
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    artifacts: await place.store.artifacts(run),
    base_branch: await baseBranch(place),
    docs_dir: "docs/",
    snapshots: place.gitDir !== undefined,
    limits: {
      ...(maxCostUsd === undefined ? {} : { usd: maxCostUsd }),
      ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
    },
  };
}

/** The branch work goes back to: the remote's default, else the one checked out. */
async function baseBranch({ cwd, gitDir }: Place): Promise<string> {
  if (gitDir === undefined) return "main";
  const ask = async (args: readonly string[]) => (await git({ cwd, args }).catch(() => undefined))?.out.trim() ?? "";
  const remote = await ask(["symbolic-ref", "--short", "-q", "refs/remotes/origin/HEAD"]);
  return remote.replace(/^origin\//, "") || (await ask(["symbolic-ref", "--short", "-q", "HEAD"])) || "main";
}
