import { readlink, rm } from "node:fs/promises";
import { dirname, isAbsolute, resolve, sep } from "node:path";
import { onDisk } from "../git/git.ts";
import type { Checkout } from "./checkout.ts";
import { installedFolders } from "./installed-folders.ts";
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
 * targets differ elsewhere; and installed packages that the agent has committed, if a setup command installs them.
 */
export async function pruneClone(
  { store }: Checkout,
  { commit, base, top, isSetUp }: FreshClone,
): Promise<void> {
  const [now, before] = await Promise.all([provenFiles(store, commit), provenFiles(store, base)]);
  const old = new Map(before.map(({ path, object }) => [path, object]));
  const links = now.filter(({ path, mode, object }) => mode === "120000" && old.get(path) !== object);
  for (const { path } of links) if (await leadsOut(top, path)) await rm(onDisk(top, path), { force: true });
  if (!isSetUp) return;
  const paths = now.map(({ path }) => path);
  for (const folder of installedFolders(paths, [...old.keys()]))
    await rm(onDisk(top, folder), { recursive: true, force: true });
}

async function leadsOut(top: string, path: string): Promise<boolean> {
  const target = await readlink(onDisk(top, path)).catch(() => "");
  return isAbsolute(target) || !`${resolve(top, dirname(path), target)}${sep}`.startsWith(top + sep);
}
