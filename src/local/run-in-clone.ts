import { renameSync } from "node:fs";
import { join, relative } from "node:path";
import type { ProcessContext, Shell, ShellAnswer, ShellRequest } from "../ports/shell.ts";
import type { Environment } from "../processes/environment.ts";
import { removeAll } from "../processes/remove-all.ts";
import type { LocalWorkspace } from "../workspace/workspace.ts";
import { cleanEnvironment } from "./clean-environment.ts";
import { cleanPath } from "./clean-path.ts";
import { draftFor } from "./clone-folder.ts";

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
  /** Makes the empty folder of a clone, its home and its temporary files. */
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
  const draft = draftFor(root);
  const startedAt = performance.now();
  try {
    const home = join(draft, "home");
    settings.writeTo(home);
    const path = cleanPath({ environment, cwd, changed, root: draft });
    const drafted = cleanEnvironment(environment, { home, root: draft, cwd, path: path.value });
    const entries = Object.entries(drafted).map(([name, value]) => [name, value?.replaceAll(draft, root)]);
    const inside = open(Object.fromEntries(entries));
    const answer = await runPrepared({ workspace, inside, request, context, root, draft });
    const ms = Math.round(performance.now() - startedAt);
    return {
      ...answer,
      clean: { ...answer.clean, ms, ...(path.leftOut.length > 0 ? { leftOut: path.leftOut } : {}) },
    };
  } finally {
    removeAll(draft);
    removeAll(root);
  }
}

interface InClone {
  readonly workspace: LocalWorkspace;
  readonly inside: Shell;
  readonly request: ShellRequest;
  readonly context: ProcessContext;
  readonly root: string;
  readonly draft: string;
}

const setupTimeoutMs = 20 * 60_000;

async function runPrepared(place: InClone): Promise<ShellAnswer> {
  const { workspace, inside, request, context, root, draft } = place;
  const { clean: fresh, ...plain } = request;
  if (fresh === undefined) throw new TypeError("no clone was asked for");
  const { commit, base, guard, untouched } = fresh;
  const { signal } = context;
  const runId = context.env["UNTIL_GREEN_RUN"] ?? "";
  const { copied = [], ...clone } = await workspace.clone(
    { commit, base, guard, parent: join(draft, "checkout"), ...(untouched && { untouched }) },
    { runId, signal, workspace: context.workspace },
  );
  if (untouched && copied.length === 0) return { stdout: "", tail: "", clean: {} };
  moveInto(root, draft);
  const inClone = { ...context, workspace: join(root, relative(draft, clone.workspace)) };
  const setup = fresh.setup ?? clone.setup;
  // A setup may print nothing for minutes, and a log must not show the check as running meanwhile.
  context.onText(`$ ${firstLine(setup?.trim() || plain.script)}\n`);
  const beside = copied.length > 0 ? { copied: copied.slice(0, 20) } : {};
  if (setup === undefined || setup.trim() === "")
    return { ...(await inside.run(plain, inClone)), clean: beside };
  const strict = fresh.setup !== undefined && plain.strict ? { strict: plain.strict } : {};
  const ready = await inside.run(
    { role: "node", script: setup, ...strict, env: {}, timeoutMs: setupTimeoutMs },
    inClone,
  );
  if (ready.exitCode !== 0) return { ...ready, clean: { ...beside, setup, failed: true } };
  const script = setup.includes("venv/bin/activate")
    ? `. "$HOME/venv/bin/activate"\n${plain.script}`
    : plain.script;
  return { ...(await inside.run({ ...plain, script }, inClone)), clean: { ...beside, setup } };
}

/** A program of the run that reaches the empty folder may have put something in it, or a link in its place. */
function moveInto(root: string, draft: string): void {
  try {
    renameSync(draft, root);
  } catch (error) {
    throw new Error(`no fresh clone at ${root}: another program changed this folder meanwhile`, {
      cause: error,
    });
  }
}

/** The first command of a script, marked if more follow. */
function firstLine(script: string): string {
  const [first = "", ...more] = script.trim().split("\n");
  return more.length > 0 ? `${first} …` : first;
}
