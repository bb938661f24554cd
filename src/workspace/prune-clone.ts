import { lutimes, readlink, rm, utimes } from "node:fs/promises";
import { dirname, isAbsolute, resolve, sep } from "node:path";
import { onDisk } from "../git/git.ts";
import { link } from "../git/objects.ts";
import { builtFiles } from "./built-files.ts";
import type { Checkout } from "./checkout.ts";
import { ignoredBy } from "./newly-ignored.ts";
import { provenFiles } from "./verify-tree.ts";

interface FreshClone {
  /** The commit that was cloned, and the commit at which the run started. */
  readonly commit: string;
  readonly base: string;
  /** Absolute path of the clone. */
  readonly top: string;
  /** True if a setup command installs the dependencies. */
  readonly isSetUp: boolean;
}

/**
 * Removes from a fresh clone what its commit must not introduce: new links that lead out of the checkout, because their
 * targets differ elsewhere; what a build makes; and installed packages that the agent has committed, if a setup command
 * installs them. Makes other new files older than the existing ones.
 */
export async function pruneClone(
  checkout: Checkout,
  { commit, base, top, isSetUp }: FreshClone,
): Promise<void> {
  const { store } = checkout;
  const [now, before] = await Promise.all([provenFiles(store, commit), provenFiles(store, base)]);
  const old = new Map(before.map(({ path, object }) => [path, object]));
  const links = now.filter(({ path, mode, object }) => mode === link && old.get(path) !== object);
  for (const { path } of links) if (await leadsOut(top, path)) await rm(onDisk(top, path), { force: true });
  const added = now.filter(({ path, mode }) => !old.has(path) && mode.startsWith("100"));
  const suspects = added.map(({ path }) => path);
  const ignored =
    suspects.length > 0 ? await ignoredBy({ checkout, commit: base, suspects }) : new Set<string>();
  const built = new Set(builtFiles(added, ignored));
  for (const path of built) await rm(onDisk(top, path), { force: true });
  // Anything else could be the output of a build, too: older than its sources, make writes it again.
  for (const path of suspects) if (!built.has(path)) await utimes(onDisk(top, path), longAgo, longAgo);
  if (!isSetUp) return;
  const paths = now.map(({ path }) => path);
  for (const folder of installedFolders(paths, [...old.keys()]))
    await rm(onDisk(top, folder), { recursive: true, force: true });
}

/**
 * Gives the files that a commit has in common with an earlier one a time, because many build tools take a file for
 * unchanged by its time. Returns the paths that differ.
 */
export async function dateUnchanged(
  { store }: Pick<Checkout, "store">,
  { commit, base, top, time }: Pick<FreshClone, "commit" | "base" | "top"> & { readonly time: Date },
): Promise<readonly string[]> {
  const [now, before] = await Promise.all([provenFiles(store, commit), provenFiles(store, base)]);
  const old = new Map(before.map(({ path, object }) => [path, object]));
  const changed: string[] = [];
  for (const { path, object } of now) {
    // Some are not there: a build makes them, or their filter did not run.
    if (old.get(path) === object) await lutimes(onDisk(top, path), time, time).catch(() => undefined);
    else changed.push(path);
    old.delete(path);
  }
  return [...changed, ...old.keys()];
}

/** Archives cannot record a time before 1980. */
const longAgo = new Date(2000, 0);

async function leadsOut(top: string, path: string): Promise<boolean> {
  const target = await readlink(onDisk(top, path)).catch(() => "");
  return isAbsolute(target) || !`${resolve(top, dirname(path), target)}${sep}`.startsWith(top + sep);
}

/**
 * Folders of installed packages that were added to a tree since another one. Their content is not part of the work, and
 * a setup command that finds them may skip the installation.
 */
function installedFolders(paths: readonly string[], before: readonly string[]): readonly string[] {
  const folders = paths
    .filter((path) => !ofTests.test(path))
    .flatMap((path) => patterns.map((pattern) => pattern.exec(path)?.[0]))
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)].filter((folder) => !before.some((path) => path.startsWith(`${folder}/`)));
}

/** True for a folder into which a package manager installs packages. */
export const isInstalled = (folder: string): boolean =>
  patterns.some((pattern) => pattern.exec(`${folder}/.`)?.[0] === folder);

const patterns: readonly RegExp[] = [
  /^(?:.*?\/)?(?:node_modules|\.venv|\.tox|\.nox|__pypackages__|_build|vendor\/bundle)(?=\/)/,
  // Go also has a `vendor` folder, which `go mod vendor` writes and which people commit.
  /^(?:.*?\/)?vendor(?=\/composer\/installed\.json$)/,
  /^(?:.*?\/)?deps(?=\/[^/]+\/mix\.exs$)/,
];

/** Tests may have such folders as data. */
const ofTests = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testdata|fixtures|__fixtures__|examples?)\//;
