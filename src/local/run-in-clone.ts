import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { defined } from "../ports/defined.ts";
import type { Launch } from "../ports/isolation.ts";
import type { CleanClone, ProcessContext, Shell, ShellAnswer, ShellRequest } from "../ports/shell.ts";
import type { Environment } from "../processes/environment.ts";
import { removeAll } from "../processes/remove-all.ts";
import type { Clone, LocalWorkspace } from "../workspace/workspace.ts";
import { cleanEnvironment } from "./clean-environment.ts";
import { cleanPath } from "./clean-path.ts";
import { draftFor } from "./clone-folder.ts";
import {
  type Installed,
  installsOnly,
  isManifest,
  type KeptClone,
  type KeptClones,
  leftBy,
  listAdded,
  moveEntries,
} from "./kept-clones.ts";

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
  readonly clones: KeptClones;
}

/** Runs a script in a fresh clone with a home folder of its own; removes both, or keeps them for the next clone. */
export async function runInClone(
  options: CloneOptions,
  request: ShellRequest,
  context: ProcessContext,
): Promise<ShellAnswer> {
  const { cwd, environment, workspace, open, changed, settings, clones } = options;
  const { clean: fresh, ...plain } = request;
  if (fresh === undefined) throw new TypeError("no clone was asked for");
  if (workspace === undefined) throw new Error("a fresh clone needs a git repository: run `git init` there");
  const startedAt = performance.now();
  const key = JSON.stringify([fresh.base, context.workspace]);
  const kept = clones.take(key);
  const root = kept?.root ?? options.makeRoot();
  const draft = kept?.folder ?? draftFor(root);
  try {
    if (kept !== undefined) clearKept(kept);
    const home = join(draft, "home");
    settings.writeTo(home);
    const path = cleanPath({ environment, cwd, changed, root: draft });
    const drafted = cleanEnvironment(environment, { home, root: draft, cwd, path: path.value });
    const entries = Object.entries(drafted).map(([name, value]) => [name, value?.replaceAll(draft, root)]);
    const inside = open(Object.fromEntries(entries));
    const time = kept?.time ?? new Date();
    const place = { workspace, inside, fresh, plain, context, root, draft, kept, time };
    const { answer, made } = await runPrepared(place);
    if (made) clones.keep(key, { root, time, ...made });
    const ms = Math.round(performance.now() - startedAt);
    const clean = {
      ...answer.clean,
      ms,
      ...(kept !== undefined && !fresh.keep && { warm: true as const }),
      ...(path.leftOut.length > 0 && { leftOut: path.leftOut }),
    };
    return { ...answer, clean };
  } finally {
    removeAll(kept === undefined ? draft : dirname(draft));
    removeAll(root);
  }
}

/** Sets the files of the clone's checkout aside, and removes links to programs, which may have changed since. */
function clearKept({ folder }: KeptClone): void {
  mkdirSync(join(folder, "before"));
  renameSync(join(folder, "checkout"), join(folder, "before/checkout"));
  for (const name of readdirSync(folder)) if (name.startsWith("path-")) removeAll(join(folder, name));
}

interface InClone {
  readonly workspace: LocalWorkspace;
  readonly inside: Shell;
  readonly fresh: CleanClone;
  readonly plain: Omit<ShellRequest, "clean">;
  readonly context: ProcessContext;
  readonly root: string;
  readonly draft: string;
  readonly kept: KeptClone | undefined;
  readonly time: Date;
}

const setupTimeoutMs = 20 * 60_000;

interface Ran {
  readonly answer: ShellAnswer;
  /** What the next clone can use; absent if the check did not run. */
  readonly made?: Omit<KeptClone, "root" | "folder" | "time">;
}

async function runPrepared(place: InClone): Promise<Ran> {
  const { inside, fresh, plain, context, root, draft, kept } = place;
  const clone = await makeClone(place);
  const copied = [...(kept?.copied ?? []), ...(clone.copied ?? [])];
  if (fresh.untouched && copied.length === 0) return { answer: { stdout: "", tail: "", clean: {} } };
  moveInto(root, draft);
  const moved = (path: string) => join(root, relative(draft, path));
  const { wrap } = context;
  const inClone = {
    ...context,
    workspace: moved(clone.workspace),
    ...(wrap && {
      wrap: (launch: Launch) =>
        wrap({ ...launch, writable: [...(launch.writable ?? []), root], isFresh: true }),
    }),
  };
  const setup = (fresh.setup ?? clone.setup)?.trim() || undefined;
  const needed = isReady(setup, clone, kept) ? undefined : setup;
  const said = { ...defined({ setup }), ...(copied.length > 0 && { copied: copied.slice(0, 20) }) };
  // A setup may print nothing for minutes, and a log must not show the check as running meanwhile.
  context.onText(`$ ${firstLine(needed ?? plain.script)}\n`);
  const failed = needed === undefined ? undefined : await setUp(place, { setup: needed, inClone });
  if (failed) return { answer: { ...failed, clean: { ...said, failed: true } } };
  const top = moved(clone.top);
  const { commit } = fresh;
  const made = fresh.keep && (await lookAt({ top, commit }, { kept, setup: needed }));
  const answer = await inside.run({ ...plain, script: inItsVenv(plain.script, setup) }, inClone);
  if (!made) return { answer: { ...answer, clean: said } };
  const { leaves, ...left } = await leftBy({ top, commit }, made);
  return {
    answer: { ...answer, clean: { ...said, ...(leaves && { leaves }) } },
    made: { top: relative(root, top), ...left, setup, copied },
  };
}

/** Runs the setup; returns its answer if it failed. */
async function setUp(
  { inside, fresh, plain }: InClone,
  { setup, inClone }: { readonly setup: string; readonly inClone: ProcessContext },
): Promise<ShellAnswer | undefined> {
  const strict = fresh.setup !== undefined && plain.strict ? { strict: plain.strict } : {};
  const script = { role: "node", script: setup, ...strict, env: {}, timeoutMs: setupTimeoutMs } as const;
  const ready = await inside.run(script, inClone);
  return ready.exitCode === 0 ? undefined : ready;
}

const inItsVenv = (script: string, setup: string | undefined): string =>
  setup?.includes("venv/bin/activate") ? `. "$HOME/venv/bin/activate"\n${script}` : script;

/** What a setup has made in a clone; `setup` is absent if it did not run. */
async function lookAt(
  clone: { readonly top: string; readonly commit: string },
  { kept, setup }: { readonly kept: KeptClone | undefined; readonly setup: string | undefined },
): Promise<Installed> {
  const installed = await listAdded(clone);
  if (setup === undefined) return { installed, isBuilt: kept?.isBuilt === true };
  return { installed, isBuilt: !(await installsOnly(installed, clone.top)) };
}

/** A clone of the commit with what was kept, in a folder that no program of the run can reach. */
async function makeClone({ workspace, fresh, context, draft, kept, time }: InClone): Promise<Clone> {
  const { commit, base, guard, untouched } = fresh;
  const clone = await workspace.clone(
    {
      ...{ commit, base, guard, parent: join(draft, "checkout"), ...(untouched && { untouched }) },
      ...((kept !== undefined || fresh.keep) && { time }),
      ...(kept !== undefined && { fill: (top) => moveEntries(kept, top) }),
    },
    {
      runId: context.env["UNTIL_GREEN_RUN"] ?? "",
      signal: context.signal,
      workspace: context.workspace,
    },
  );
  removeAll(join(draft, "before"));
  return clone;
}

/** True if what was installed is still what the setup would install. */
const isReady = (setup: string | undefined, { changed }: Clone, kept: KeptClone | undefined): boolean =>
  kept !== undefined && kept.setup === setup && !kept.isBuilt && !changed.some(isManifest);

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
