import { join } from "node:path";
import type { ProcessContext, Shell, ShellAnswer, ShellRequest } from "../ports/shell.ts";
import type { Environment } from "../processes/environment.ts";
import { removeAll } from "../processes/remove-all.ts";
import type { LocalWorkspace } from "../workspace/workspace.ts";
import { cleanEnvironment } from "./clean-environment.ts";
import { cleanPath } from "./clean-path.ts";

export interface CloneOptions {
  /** The checkout that an agent works in; an absolute path. */
  readonly cwd: string;
  /** This process's variables, before any agent runs. */
  readonly environment: Environment;
  readonly workspace: LocalWorkspace | undefined;
  /** Opens a shell with an environment. */
  open(environment: Environment): Shell;
  /** Programs on the PATH that are new or changed. */
  readonly changed: readonly string[];
  /** Makes the folder of a clone, its home and its temporary files. */
  makeRoot(): string;
  readonly settings: { writeTo(home: string): void };
}

/** Runs a script in a fresh clone with a home folder of its own; removes both. */
export async function runInClone(
  { cwd, environment, workspace, open, changed, makeRoot, settings }: CloneOptions,
  request: ShellRequest,
  context: ProcessContext,
): Promise<ShellAnswer> {
  if (workspace === undefined) throw new Error("a fresh clone needs a git repository: run `git init` there");
  const root = makeRoot();
  const startedAt = performance.now();
  try {
    const home = join(root, "home");
    settings.writeTo(home);
    const path = cleanPath({ environment, cwd, changed, root });
    const inside = open(cleanEnvironment(environment, { home, root, cwd, path: path.value }));
    const answer = await runPrepared({ workspace, inside, request, context, root });
    const ms = Math.round(performance.now() - startedAt);
    return {
      ...answer,
      clean: { ...answer.clean, ms, ...(path.leftOut.length > 0 ? { leftOut: path.leftOut } : {}) },
    };
  } finally {
    removeAll(root);
  }
}

interface InClone {
  readonly workspace: LocalWorkspace;
  readonly inside: Shell;
  readonly request: ShellRequest;
  readonly context: ProcessContext;
  readonly root: string;
}

const setupTimeoutMs = 20 * 60_000;

async function runPrepared({ workspace, inside, request, context, root }: InClone): Promise<ShellAnswer> {
  const { clean: fresh, ...plain } = request;
  if (fresh === undefined) throw new TypeError("no clone was asked for");
  const { commit, base, guard } = fresh;
  const { signal } = context;
  const runId = context.env["UNTIL_GREEN_RUN"] ?? "";
  const clone = await workspace.clone(
    { commit, base, guard, top: join(root, "checkout") },
    { runId, signal, workspace: context.workspace },
  );
  const inClone = { ...context, workspace: clone.workspace };
  const setup = fresh.setup ?? clone.setup;
  // A setup may print nothing for minutes, and a log must not show the check as running meanwhile.
  context.onText(`$ ${firstLine(setup?.trim() || plain.script)}\n`);
  if (setup === undefined || setup.trim() === "") return { ...(await inside.run(plain, inClone)), clean: {} };
  const strict = fresh.setup !== undefined && plain.strict ? { strict: plain.strict } : {};
  const ready = await inside.run(
    { role: "node", script: setup, ...strict, env: {}, timeoutMs: setupTimeoutMs },
    inClone,
  );
  if (ready.exitCode !== 0) return { ...ready, clean: { setup, failed: true } };
  const script = setup.includes("venv/bin/activate")
    ? `. "$HOME/venv/bin/activate"\n${plain.script}`
    : plain.script;
  return { ...(await inside.run({ ...plain, script }, inClone)), clean: { setup } };
}

/** The first command of a script, marked if more follow. */
function firstLine(script: string): string {
  const [first = "", ...more] = script.trim().split("\n");
  return more.length > 0 ? `${first} …` : first;
}
