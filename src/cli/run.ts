import { basename, extname, resolve } from "node:path";
import { assertUsable } from "../agents/index.ts";
import type { Compiled } from "../compile/compile.ts";
import { inlineLoop } from "../compile/inline-loop.ts";
import type { RunSettings } from "../engine/log-events.ts";
import { listWorkflows, readSource, type SourceFile } from "../local/workflow-files.ts";
import { agentsOf } from "../plan/agents.ts";
import { fillInputs, inputNames } from "../plan/inputs.ts";
import type { Plan } from "../plan/plan.ts";
import type { IsolationMode } from "../ports/isolation.ts";
import { didYouMean } from "../ports/nearest-word.ts";
import type { NetworkRule } from "../ports/network.ts";
import { isRunId, newRunId } from "../stores/run-id.ts";
import { readBranches } from "../workspace/branches.ts";
import { compileFile, findNamed } from "./compile-file.ts";
import { printDiagnostics } from "./diagnostics.ts";
import { driveRun } from "./drive-run.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { ourEnvironment } from "./model-keys.ts";
import type { CommonOptions } from "./options.ts";
import { print } from "./print.ts";
import { findLocation, type StoreLocation } from "./run-environment.ts";
import { saySubfolder } from "./run-folder.ts";

export interface RunOptions extends CommonOptions {
  readonly input?: readonly string[];
  readonly agent?: string;
  readonly model?: string;
  readonly runId?: string;
  readonly maxCostUsd?: number;
  readonly maxTokens?: number;
  readonly maxMinutes?: number;
  readonly patience?: number;
  readonly isolation?: IsolationMode;
  readonly agentArgs?: readonly string[];
  readonly network?: NetworkRule;
  readonly show?: readonly string[];
  readonly write?: readonly string[];
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
  // With an inline loop, the first argument is the message.
  const inline = options.prompt !== undefined || (options.untilBash !== undefined && workflow === undefined);
  if (inline) refuseEndless(options);
  else refuseInlineOptions(options, workflow);
  const source = inline ? inlineSource(options, cwd) : findNamed(named(workflow, cwd), cwd);
  const userMessage = inline ? [workflow, message].filter(Boolean).join(" ") : message;
  const compiled = await compileFile(source, cwd);
  if (!compiled.ok) return printDiagnostics(compiled.diagnostics, options);
  const inputs = inputsOf(compiled.plan, options.input ?? []);
  if (options.dryRun) {
    printDiagnostics(compiled.warnings, options);
    if (!options.json) print((await import("../render/plan-markdown.ts")).planText(compiled.plan));
    return exit.ok;
  }
  refuseWithoutAgent(options.agent ?? onlyAgentOf(compiled.plan), options.model);
  const location = await findLocation(options);
  saySubfolder(location, options);
  const facts = await factsOf(location, { source, compiled, message: userMessage, inputs, options });
  const code = await driveRun(location, options, { begin: { plan: compiled.plan, facts } });
  const { askAtGate } = await import("./gate-prompt.ts");
  return await askAtGate(code, facts.run, options);
}

/** Refuses options of an inline loop for a workflow file: they would have no effect there. */
function refuseInlineOptions(options: RunOptions, workflow = "a workflow file"): void {
  const misplaced = Object.entries(inlineOptions).find(
    ([key]) => options[key as keyof RunOptions] !== undefined,
  );
  if (misplaced === undefined) return;
  const [, [flag, key]] = misplaced;
  throw new UsageError(
    `${flag} is for an inline loop (--until-bash or --prompt, without a workflow); in ${workflow}, set \`${key}\` of the loop`,
  );
}

function refuseEndless({ until, untilBash }: RunOptions): void {
  if (until === undefined && untilBash === undefined)
    throw new UsageError("this loop has no exit condition: set --until-bash CMD or --until SIGNAL");
}

const inlineOptions = {
  until: ["--until", "until"],
  untilBash: ["--until-bash", "until_bash"],
  maxIterations: ["--max-iterations", "max_iterations"],
  freshContext: ["--fresh-context", "fresh_context"],
  protect: ["--protect", "protect"],
} as const;

/** The agent of a plan with a single one; with several, some may never be called. */
function onlyAgentOf(plan: Plan): string | undefined {
  const [only, ...others] = agentsOf(plan);
  return others.length === 0 ? only : undefined;
}

/** Reported immediately, not after a check that may take minutes. */
function refuseWithoutAgent(agent: string | undefined, model: string | undefined): void {
  if (agent !== undefined) assertUsable(agent, { model, environment: ourEnvironment() });
}

function named(workflow: string | undefined, cwd: string): string {
  if (workflow !== undefined) return workflow;
  const known = listWorkflows(cwd).map((path) => basename(path, extname(path)));
  const here = known.length === 0 ? "until-green init writes a first one" : `here: ${known.join(", ")}`;
  throw new UsageError(`name a workflow to run (${here}), or give an inline loop: --until-bash CMD`);
}

/** An inline loop is an ordinary workflow generated from options. */
function inlineSource(options: RunOptions, cwd: string): SourceFile {
  const { prompt } = options;
  const text = prompt?.startsWith("@") ? readSource(prompt.slice(1), cwd).text : prompt;
  return inlineLoop({ ...options, prompt: text }, "command line");
}

function inputsOf(plan: Plan, pairs: readonly string[]): Readonly<Record<string, string>> {
  const entries = pairs.map((pair) => {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`--input ${pair}: use KEY=VALUE`);
    return [name, value] as const;
  });
  const known = inputNames(plan);
  const unknown = entries.find(([name]) => !known.includes(name))?.[0];
  if (unknown !== undefined)
    throw new UsageError(`--input ${unknown}: the workflow has no such input; ${didYouMean(unknown, known)}`);
  const { inputs, missing } = fillInputs(plan, Object.fromEntries(entries));
  if (missing.length > 0)
    throw new UsageError(`the workflow needs ${missing.map((name) => `-i ${name}=…`).join(" and ")}`);
  return inputs;
}

interface RunStart {
  readonly source: SourceFile;
  readonly compiled: Extract<Compiled, { ok: true }>;
  readonly message: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly options: RunOptions;
}

async function factsOf(
  location: StoreLocation,
  { source, compiled, message, inputs, options }: RunStart,
): Promise<RunSettings> {
  const { agent, model, maxCostUsd, maxTokens } = options;
  const run = options.runId ?? newRunId(compiled.plan.name);
  if (!isRunId(run)) {
    throw new UsageError(
      `--run-id ${run}: 6 to 64 lowercase letters, digits and hyphens, starting with a letter or digit`,
    );
  }
  // The base branch: the remote's default branch, else the current one.
  const { remoteDefault, branch } = await readBranches(location.cwd);
  return {
    run,
    message,
    inputs,
    file: source.file,
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    artifacts: await location.store.artifacts(run),
    base_branch: remoteDefault ?? branch ?? "main",
    docs_dir: "docs/",
    ...(location.inside === undefined ? {} : { folder: location.inside.folder }),
    ...(location.worktree?.name === undefined ? {} : { worktree: location.worktree.name }),
    snapshots: location.gitDir !== undefined,
    warnings: compiled.warnings.map(({ warning: _, ...fault }) => fault),
    limits: {
      ...(maxCostUsd === undefined ? {} : { usd: maxCostUsd }),
      ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
    },
  };
}
