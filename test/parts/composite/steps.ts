import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Action, readAction, type Step } from "./action.ts";
import { holds, interpolate, interpolateAll, type Sight } from "./expression.ts";
import { annotate, type Job, type Outcome, print } from "./job.ts";
import { runProcess, type StepEnd } from "./step-process.ts";
import type { Stub } from "./stub.ts";

type End = Pick<StepEnd, "ok" | "outputs">;
type Texts = Readonly<Record<string, string>>;

interface ActionCall {
  readonly dir: string;
  readonly inputs: Texts;
}

/** Runs an action of this machine: composite, or JavaScript for Node. */
export async function runAction(job: Job, { dir, inputs }: ActionCall): Promise<End> {
  const action = await readAction(dir);
  warnOfUnknown(job, action, inputs);
  const github = { ...job.github, action_path: dir };
  const contexts = { github, runner: job.runner, env: job.env, job: { status: "success" } };
  const inputValues = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const values = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [
      name,
      inputValues[name.toLowerCase()] ?? interpolate(input?.default ?? "", { contexts, ok: true }),
    ]),
  );
  const call = { dir, inputs: values };
  return "steps" in action.runs
    ? runSteps(job, call, { action, steps: action.runs.steps, github })
    : runNode(job, call, action.runs);
}

/** Runs the post steps of node actions, last one first. */
export async function finishJob(job: Job): Promise<void> {
  for (const post of job.posts.toReversed()) await post();
}

function warnOfUnknown(job: Job, { inputs }: Action, values: Texts): void {
  const known = Object.keys(inputs);
  const unknown = Object.keys(values).filter(
    (name) => !known.some((each) => each.toLowerCase() === name.toLowerCase()),
  );
  if (unknown.length === 0) return;
  const message = `Unexpected input(s) '${unknown.join("', '")}', valid inputs are ['${known.join("', '")}']`;
  annotate(job, { level: "warning", message });
}

interface Composite {
  readonly action: Action;
  readonly steps: readonly Step[];
  readonly github: Readonly<Record<string, unknown>>;
}

async function runSteps(job: Job, call: ActionCall, { action, steps, github }: Composite): Promise<End> {
  const { ok, sight } = await runEach(job, steps, {
    dir: call.dir,
    contexts: { github, inputs: call.inputs },
  });
  const values = Object.entries(action.outputs).map(([name, { value = "" }]) => [name, value]);
  return { ok, outputs: interpolateAll(Object.fromEntries(values), { ...sight, ok: true }) };
}

interface Place {
  /** The folder of the action that contains the steps; empty for those of a workflow. */
  readonly dir: string;
  /** What the steps can read besides each other's outputs. */
  readonly contexts: Sight["contexts"];
}

/** Runs steps one after the other; returns how they went, and the scope of expressions after the last. */
export async function runEach(
  job: Job,
  steps: readonly Step[],
  { dir, contexts }: Place,
): Promise<{ readonly ok: boolean; readonly sight: Sight }> {
  const known: Record<string, StepResult> = {};
  let ok = true;
  const sight = (): Sight => ({
    ok,
    contexts: {
      ...contexts,
      steps: known,
      env: job.env,
      runner: job.runner,
      job: { status: ok ? "success" : "failure" },
    },
  });
  for (const step of steps) {
    const result = await runStep(job, step, { sight: sight(), dir });
    if (step.id !== undefined) known[step.id] = result;
    if (result.conclusion === "failure") ok = false;
  }
  return { ok, sight: sight() };
}

interface StepResult {
  readonly outcome: Outcome;
  readonly conclusion: Outcome;
  readonly outputs: Texts;
}

interface StepPlace {
  readonly sight: Sight;
  readonly dir: string;
}

async function runStep(job: Job, step: Step, { sight, dir }: StepPlace): Promise<StepResult> {
  let result: StepResult = { outcome: "skipped", conclusion: "skipped", outputs: {} };
  try {
    if (holds(step.if, sight)) result = await runWhatItSays(job, step, { sight, dir });
  } catch (error) {
    annotate(job, { level: "error", message: error instanceof Error ? error.message : String(error) });
    result = { outcome: "failure", conclusion: "failure", outputs: {} };
  }
  job.steps.push({ id: step.id, name: step.name ?? step.uses ?? step.id ?? "run", ...result });
  return result;
}

async function runWhatItSays(job: Job, step: Step, { sight, dir }: StepPlace): Promise<StepResult> {
  const env = interpolateAll(step.env, sight);
  const inner: Sight = { ...sight, contexts: { ...sight.contexts, env: { ...job.env, ...env } } };
  const { ok, outputs } =
    step.uses === undefined
      ? await runScript(job, step, { sight: inner, dir, env })
      : await useAction(job, { uses: step.uses, inputs: interpolateAll(step.with, inner), env });
  const mayFail = interpolate(step["continue-on-error"] ?? "", inner) === "true";
  const outcome = ok ? "success" : "failure";
  return { outcome, conclusion: mayFail ? "success" : outcome, outputs };
}

const shells: Readonly<Record<string, string>> = {
  bash: "bash --noprofile --norc -eo pipefail {0}",
  sh: "sh -e {0}",
  python: "python3 {0}",
};

async function runScript(job: Job, step: Step, place: StepPlace & { readonly env: Texts }): Promise<End> {
  const { sight, dir, env } = place;
  const shell = interpolate(step.shell ?? "bash", sight);
  const file = join(job.temp, `${randomUUID()}.${shell.startsWith("node") ? "mjs" : "sh"}`);
  await writeFile(file, interpolate(step.run ?? "", sight));
  const [program = "bash", ...args] = (shells[shell] ?? shell)
    .split(" ")
    .map((part) => part.replace("{0}", file));
  return runProcess(job, {
    command: [program, ...args],
    cwd: resolve(job.workspace, interpolate(step["working-directory"] ?? "", sight)),
    env: { ...env, GITHUB_ACTION_PATH: dir },
  });
}

interface Use {
  readonly uses: string;
  readonly inputs: Texts;
  readonly env: Texts;
}

/** A step's `env` applies to the action it uses, and no longer. */
async function useAction(job: Job, { uses, inputs, env }: Use): Promise<End> {
  const stub = job.stubs[uses.replace(/@.*$/, "")];
  if (typeof stub === "function") return callStub(job, stub, { uses, inputs, env });
  if (stub === undefined && !uses.startsWith("./")) throw new Error(`there is no stand-in for ${uses}`);
  const before = job.env;
  job.env = { ...before, ...env };
  const end = await runAction(job, { dir: stub ?? resolve(job.workspace, uses), inputs });
  const set = Object.entries(job.env).filter(([name, value]) => env[name] !== value);
  job.env = { ...before, ...Object.fromEntries(set) };
  return end;
}

async function callStub(job: Job, stub: Exclude<Stub, string>, use: Use): Promise<End> {
  const env = { ...job.env, ...use.env };
  const call = { ...use, env, workspace: job.workspace, print: (line: string) => print(job, line) };
  const { ok = true, outputs = {} } = await stub(call);
  return { ok, outputs };
}

async function runNode(
  job: Job,
  { dir, inputs }: ActionCall,
  { main, post }: { readonly main: string; readonly post?: string | undefined },
): Promise<End> {
  const names = Object.entries(inputs).map(([name, value]) => [
    `INPUT_${name.replaceAll(" ", "_").toUpperCase()}`,
    value,
  ]);
  const env: Texts = Object.fromEntries(names);
  const at = (file: string, more: Texts) =>
    runProcess(job, { command: ["node", join(dir, file)], cwd: job.workspace, env: { ...env, ...more } });
  const end = await at(main, {});
  const state = Object.fromEntries(
    Object.entries(end.state).map(([name, value]) => [`STATE_${name}`, value]),
  );
  if (post !== undefined) job.posts.push(() => at(post, state));
  return end;
}
