import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { hasFrame, repairFrame } from "../git/bare-repository.ts";
import { type GitAnswer, git } from "../git/git.ts";
import { isFolder, makeFolder, makeOwnFolder } from "../processes/make-folder.ts";
import { killStrangers } from "../processes/process-group.ts";
import { readRegularFile } from "../processes/regular-file.ts";
import { unlockPath } from "../processes/remove-all.ts";
import { addSettings, type GitSettings, harmlessSettings, readSettings } from "./checkout-settings.ts";
import { guardStore } from "./git-config-guard.ts";
import { type LocalRepository, readRepository } from "./repository.ts";
import { removeTorn } from "./torn-index.ts";

/**
 * A checkout seen through the run's private repository, which stores everything we create: objects, refs and a separate
 * index. The user's repository is only read, as a source of objects.
 */
export interface Checkout extends LocalRepository {
  /** The run's folder for until-green's own files. */
  readonly dir: string;
  /** The private bare repository in that folder. */
  readonly store: string;
  readonly index: string;
  readonly signal: AbortSignal;
  /** Values that no snapshot may contain. */
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

/**
 * Opens a workspace's checkout, creating the private repository and index if needed; a new index is passed to
 * `prepareIndex`.
 */
export async function openCheckout(
  place: CheckoutPlace,
  prepareIndex: (checkout: Checkout) => Promise<void> = async () => undefined,
): Promise<Checkout> {
  const { dir, workspace, signal } = place;
  const fork = forkAt(dir, workspace);
  const repository = fork ?? (await readRepository(workspace, signal));
  // Git and the checks start in these folders. No run can start in an unreadable one, so a program of the run made it
  // so.
  for (const folder of [repository.top, workspace]) unlockPath(folder);
  const checkout = viewCheckout({ ...place, repository });
  if (!existsSync(join(checkout.store, readyMark))) await makeStore(checkout);
  else if (!hasFrame(checkout.store) || !isFolder(join(checkout.store, "info"))) await repairStore(checkout);
  else if (fork === undefined) await followMove(checkout);
  guardStore(checkout.store);
  if (!existsSync(checkout.index)) {
    await seedIndex(checkout);
    await prepareIndex(checkout);
  }
  return checkout;
}

interface CheckoutView extends Omit<CheckoutPlace, "workspace"> {
  readonly repository: LocalRepository;
}

/** A view of a checkout whose private repository already exists. */
export function viewCheckout({ dir, repository, signal, secrets }: CheckoutView): Checkout {
  const store = join(dir, "snapshots.git");
  const hash = createHash("sha256").update(repository.top).digest("hex");
  const index = join(store, `index-${hash.slice(0, 16)}`);
  const onPipe = (path: string) => pipes.set(index, (pipes.get(index) ?? new Set()).add(path));
  const ownVariables = { GIT_DIR: store, GIT_WORK_TREE: repository.top, GIT_INDEX_FILE: index };
  return {
    ...repository,
    dir,
    store,
    index,
    signal,
    secrets,
    git: (args, { env, ...more } = {}) =>
      git({ cwd: repository.top, args, signal, env: { ...ownVariables, ...env }, onPipe, ...more }),
  };
}

const pipes = new Map<string, Set<string>>();

/** The pipes that were removed since the last call because git waited for them; relative to the checkout's top. */
export function takeRemovedPipes({ top, index }: Checkout): readonly string[] {
  const paths = [...(pipes.get(index) ?? [])];
  pipes.delete(index);
  return paths.map((path) => relative(top, path));
}

/** A fork's repository at the place where we created it, even if its `.git` was changed. */
export function forkAt(dir: string, path: string): LocalRepository | undefined {
  const below = relative(join(dir, "forks"), path);
  const [key = "", ...rest] = below.split(sep);
  if (key === "" || key === ".." || isAbsolute(below)) return undefined;
  const top = join(dir, "forks", key);
  const gitDir = join(top, ".git");
  const prefix = rest.length === 0 ? "" : `${rest.join("/")}/`;
  return { top, gitDir, commonDir: gitDir, prefix, objectFormat: undefined };
}

/**
 * Removes what a killed git or a power cut left behind: locks, unfinished packs, torn files. Only for a run that no
 * other process drives. A git whose until-green was killed may still be running; it is killed first, because it would
 * rename our lock file to its index.
 */
export async function unlockStore(dir: string): Promise<void> {
  const store = join(dir, "snapshots.git");
  if (!existsSync(store)) return;
  await killStrangers(`GIT_DIR=${store}`);
  await Promise.all([removeNamed(store, /\.lock$/), removeNamed(join(store, "objects", "pack"), /^tmp_/)]);
  removeTorn(store);
}

async function removeNamed(folder: string, pattern: RegExp): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.filter((name) => pattern.test(name)).map((name) => rm(join(folder, name))));
}

const readyMark = "until-green-ready";

/** When the private repository was created, before any agent started; in milliseconds since 1970. */
export const madeAt = async (store: string): Promise<number> => (await stat(join(store, readyMark))).mtimeMs;

/** Created atomically, because `git init` refuses a repository that a kill left incomplete. */
async function makeStore(checkout: Checkout): Promise<void> {
  const { store, dir, commonDir, signal } = checkout;
  makeFolder(dir);
  // Keeps the folder out of snapshots if it is inside the checkout.
  await writeFile(join(dir, ".gitignore"), "*\n");
  const draft = `${store}.new`;
  await Promise.all([store, draft].map(removeWhole));
  const format = `--object-format=${checkout.objectFormat ?? "sha1"}`;
  const [settings] = await Promise.all([
    readSettings(checkout.top),
    git({ cwd: dir, args: ["init", "--quiet", "--bare", "--template=", format, draft], signal }),
  ]);
  await mkdir(join(draft, "info"), { recursive: true });
  await borrowObjects(draft, join(commonDir, "objects"));
  await copyIfThere(join(commonDir, "shallow"), join(draft, "shallow"));
  for (const name of ["exclude", "attributes"])
    await copyIfThere(join(commonDir, "info", name), join(draft, "info", name));
  await takeSettings(checkout, draft, settings);
  await writeFile(join(draft, readyMark), "");
  await rename(draft, store);
}

/** Snapshots, in objects and refs, stay; settings are copied from the checkout again. */
async function repairStore(checkout: Checkout): Promise<void> {
  const { store, commonDir, objectFormat } = checkout;
  const settings = await readSettings(checkout.top);
  repairFrame(store, objectFormat === "sha256" ? "sha256" : "sha1");
  makeOwnFolder(join(store, "info"), 0o777);
  await borrowObjects(store, join(commonDir, "objects"));
  await takeSettings(checkout, store, settings);
}

/** A git of a killed process may still write to it. */
const removeWhole = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 9 });

/** Updates the paths in the private repository if the checkout was moved since an earlier process. */
async function followMove(checkout: Checkout): Promise<void> {
  const { store, commonDir } = checkout;
  const objects = join(commonDir, "objects");
  if (readRegularFile(alternatesOf(store)) === alternates([objects])) return;
  await addSettings(join(store, "config"), pathSettings(checkout));
  await borrowObjects(store, objects);
}

/** Lets a repository read the objects of others, without copying them. */
export async function borrowObjects(gitDir: string, ...sources: readonly string[]): Promise<void> {
  await mkdir(join(gitDir, "objects", "info"), { recursive: true });
  await writeFile(alternatesOf(gitDir), alternates(sources));
}

const alternatesOf = (gitDir: string) => join(gitDir, "objects", "info", "alternates");

const alternates = (sources: readonly string[]) =>
  sources.map((objects) => `${/^["#]|\n/.test(objects) ? JSON.stringify(objects) : objects}\n`).join("");

/** Copied once, at the start, because an agent could change the originals later. */
async function takeSettings(checkout: Checkout, draft: string, settings: GitSettings): Promise<void> {
  const ignores = settings.get("core.excludesfile") ?? "~/.config/git/ignore";
  await copyIfThere(ignores.replace(/^~\//, `${homedir()}/`), join(draft, "info", "excludes"));
  const attributes = settings.get("core.attributesfile") ?? "~/.config/git/attributes";
  await copyIfThere(attributes.replace(/^~\//, `${homedir()}/`), join(draft, "info", "user-attributes"));
  await addSettings(join(draft, "config"), [...harmlessSettings(settings), ...pathSettings(checkout)]);
}

const pathSettings = ({ store, commonDir }: Checkout) =>
  [
    ["core.excludesfile", join(store, "info", "excludes")],
    ["core.attributesfile", join(store, "info", "user-attributes")],
    ["lfs.storage", join(commonDir, "lfs")],
  ] as const;

async function seedIndex({ gitDir, store, index }: Checkout): Promise<void> {
  const source = join(gitDir, "index");
  if (!existsSync(source)) return;
  const shared = (await readdir(gitDir)).filter((name) => name.startsWith("sharedindex."));
  for (const name of shared) await copyFile(join(gitDir, name), join(store, name));
  await copyFile(source, `${index}.new`);
  // If the copy were newer than the original, git would trust files that changed in the same instant.
  const { mtimeMs } = await stat(source);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(`${index}.new`, seconds, seconds);
  await rename(`${index}.new`, index);
}

/** Copies a file if it exists. */
export async function copyIfThere(from: string, to: string): Promise<void> {
  if (existsSync(from)) await copyFile(from, to);
}

/** The commit a fork started from; `undefined` if the checkout is not a fork of this run. */
export async function readForkBase({ top, dir, store }: Checkout): Promise<string | undefined> {
  if (forkAt(dir, top) === undefined) return undefined;
  return (await readFile(join(store, "refs", "forks", basename(top)), "utf8")).trim();
}
