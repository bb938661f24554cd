import { createHash } from "node:crypto";
import { access, copyFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import { type GitAnswer, git } from "./git.ts";
import { type Repository, readRepository } from "./repository.ts";
import { addSettings, harmlessSettings, readSettings, type Settings } from "./settings.ts";
import { guardStore } from "./store-guard.ts";

/**
 * A checkout seen through the run's private repository, which keeps all we make: objects, refs and an index of our own.
 * The user's repository is read as a source of objects and never written.
 */
export interface Checkout extends Repository {
  /** The run's folder for what we keep. */
  readonly dir: string;
  /** The private bare repository in it. */
  readonly store: string;
  readonly index: string;
  readonly signal: AbortSignal;
  /** What no snapshot may hold. */
  readonly secrets: readonly string[];
  /** Runs git on this checkout's files, with the private repository and index. */
  git(args: readonly string[], more?: GitOptions): Promise<GitAnswer>;
}

export interface GitOptions {
  readonly stdin?: string;
  readonly accept?: readonly number[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface CheckoutPlace {
  readonly dir: string;
  readonly workspace: string;
  readonly signal: AbortSignal;
  readonly secrets: readonly string[];
}

/** Opens the checkout a workspace is in, making the private repository and index if they are not there yet. */
export async function openCheckout(place: CheckoutPlace): Promise<Checkout> {
  const { dir, workspace, signal } = place;
  const repository = forkAt(dir, workspace) ?? (await readRepository(workspace, signal));
  const checkout = viewCheckout({ ...place, repository });
  if (!(await exists(join(checkout.store, readyMark)))) await makeStore(checkout);
  guardStore(checkout.store);
  if (!(await exists(checkout.index))) await seedIndex(checkout);
  return checkout;
}

/** A checkout whose private repository is known to be there. */
export function viewCheckout(view: {
  readonly dir: string;
  readonly repository: Repository;
  readonly signal: AbortSignal;
  readonly secrets: readonly string[];
}): Checkout {
  const { dir, repository, signal, secrets } = view;
  const store = join(dir, "snapshots.git");
  const index = join(
    store,
    `index-${createHash("sha256").update(repository.top).digest("hex").slice(0, 16)}`,
  );
  const ours = { GIT_DIR: store, GIT_WORK_TREE: repository.top, GIT_INDEX_FILE: index };
  return {
    ...repository,
    dir,
    store,
    index,
    signal,
    secrets,
    git: (args, { env, ...more } = {}) =>
      git({ cwd: repository.top, args, signal, env: { ...ours, ...env }, ...more }),
  };
}

/** A fork's repository, which is where we made it, whatever has become of its `.git`. */
export function forkAt(dir: string, path: string): Repository | undefined {
  const below = relative(join(dir, "forks"), path);
  const [key = "", ...rest] = below.split(sep);
  if (key === "" || key === ".." || isAbsolute(below)) return undefined;
  const top = join(dir, "forks", key);
  const gitDir = join(top, ".git");
  const prefix = rest.length === 0 ? "" : `${rest.join("/")}/`;
  return { top, gitDir, commonDir: gitDir, prefix, objectFormat: undefined };
}

/** Removes what a killed git left locked; only for a run that this process alone drives. */
export async function unlockStore(dir: string): Promise<void> {
  const store = join(dir, "snapshots.git");
  const names = await readdir(store).catch(() => []);
  await Promise.all(names.filter((name) => name.endsWith(".lock")).map((name) => rm(join(store, name))));
}

const readyMark = "until-green-ready";

async function makeStore(checkout: Checkout): Promise<void> {
  const { store, dir, commonDir, signal } = checkout;
  await mkdir(dir, { recursive: true });
  // keeps the folder out of snapshots where it lies inside the checkout
  await writeFile(join(dir, ".gitignore"), "*\n");
  const format = `--object-format=${checkout.objectFormat ?? "sha1"}`;
  const [settings] = await Promise.all([
    readSettings(checkout.top),
    git({ cwd: dir, args: ["init", "--quiet", "--bare", "--template=", format, store], signal }),
  ]);
  await mkdir(join(store, "info"), { recursive: true });
  await borrowObjects(store, join(commonDir, "objects"));
  await copyIfThere(join(commonDir, "shallow"), join(store, "shallow"));
  await copyIfThere(join(commonDir, "info", "exclude"), join(store, "info", "exclude"));
  await takeSettings(checkout, settings);
  await writeFile(join(store, readyMark), "");
}

/** Lets a repository read the objects of others without copying them. */
export async function borrowObjects(gitDir: string, ...sources: readonly string[]): Promise<void> {
  const lines = sources.map((objects) => (/^["#]|\n/.test(objects) ? JSON.stringify(objects) : objects));
  await mkdir(join(gitDir, "objects", "info"), { recursive: true });
  await writeFile(join(gitDir, "objects", "info", "alternates"), lines.map((line) => `${line}\n`).join(""));
}

/** Copied once, at the start: the agent could change the originals later. */
async function takeSettings({ store, commonDir }: Checkout, settings: Settings): Promise<void> {
  const ignores = settings.get("core.excludesfile") ?? "~/.config/git/ignore";
  const copy = join(store, "info", "excludes");
  await copyIfThere(ignores.replace(/^~\//, `${homedir()}/`), copy);
  await addSettings(join(store, "config"), [
    ...harmlessSettings(settings),
    ["core.excludesfile", copy],
    ["lfs.storage", join(commonDir, "lfs")],
  ]);
}

async function seedIndex({ gitDir, store, index }: Checkout): Promise<void> {
  const source = join(gitDir, "index");
  if (!(await exists(source))) return;
  const shared = (await readdir(gitDir)).filter((name) => name.startsWith("sharedindex."));
  for (const name of shared) await copyFile(join(gitDir, name), join(store, name));
  await copyFile(source, `${index}.new`);
  // an index newer than the original would make git trust files that changed in the same instant
  const { mtimeMs } = await stat(source);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(`${index}.new`, seconds, seconds);
  await rename(`${index}.new`, index);
}

/** Copies what may not be there. */
export async function copyIfThere(from: string, to: string): Promise<void> {
  if (await exists(from)) await copyFile(from, to);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
