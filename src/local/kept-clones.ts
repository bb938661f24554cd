import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git, readable } from "../git/git.ts";
import { attempt, textIn } from "../processes/lenient-reads.ts";
import { removeAll } from "../processes/remove-all.ts";
import { makeTempFolder, removeStorage, storageFolder } from "../processes/temp-folder.ts";
import { isInstalled } from "../workspace/prune-clone.ts";

/** What a clone had installed and cached when its check had run, before the first agent. */
export interface KeptClone {
  /** Where the clone was: caches and build tools remember its path. */
  readonly root: string;
  /** Where it is now. */
  readonly folder: string;
  /** The clone's top folder, relative to the folder. */
  readonly top: string;
  /** What git does not know there and what the next clone gets: paths of files and folders. */
  readonly entries: readonly string[];
  readonly setup: string | undefined;
  /** True if the setup must run again in any case: it made something of the project's files, or the check removed it. */
  readonly isBuilt: boolean;
  /** The time that was given to the files. */
  readonly time: Date;
  readonly copied: readonly string[];
}

/**
 * Keeps clones in our own folder, each for one use. The agent runs as our user, so a clone counts only if nothing in it
 * has changed since: the kernel sets the time of a file's last change, and no program can set it back.
 */
export class KeptClones {
  readonly #kept = new Map<string, KeptClone & { readonly sealed: bigint }>();
  /** True if what is left is removed when this process exits. */
  #isWatched = false;

  /** A clone that was kept under this key, if nothing has touched it; the caller uses its folder up. */
  take(key: string): KeptClone | undefined {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    if (kept === undefined) return undefined;
    // What cannot be read may have changed.
    const isSame = attempt(() => !existsSync(kept.root) && isUntouched(kept.folder, kept.sealed));
    if (isSame === true) return kept;
    removeAll(dirname(kept.folder));
    return undefined;
  }

  /** Takes over the folder of a clone. */
  keep(key: string, clone: Omit<KeptClone, "folder">): void {
    const own = storageFolder();
    if (lstatSync(own).dev !== lstatSync(clone.root).dev) return;
    const place = makeTempFolder("kept", own);
    const folder = join(place, "clone");
    renameSync(clone.root, folder);
    if (!this.#isWatched) process.once("exit", () => this.#removeAll());
    this.#isWatched = true;
    const seal = join(place, "seal");
    writeFileSync(seal, "");
    const sealed = lstatSync(seal, { bigint: true }).ctimeNs;
    this.#kept.set(key, { ...clone, folder, sealed });
  }

  #removeAll(): void {
    for (const { folder } of this.#kept.values()) removeAll(dirname(folder));
    removeStorage();
  }
}

/** A larger clone is not worth the search. */
const mostEntries = 300_000;

function isUntouched(folder: string, sealed: bigint): boolean {
  const left = [folder];
  for (let seen = 0; left.length > 0; seen++) {
    const path = left.pop() ?? "";
    const stat = lstatSync(path, { bigint: true });
    if (stat.ctimeNs > sealed || seen > mostEntries) return false;
    if (stat.isDirectory()) for (const name of readdirSync(path)) left.push(join(path, name));
  }
  return true;
}

/** A clone whose files are compared with those of its commit. */
interface Compared {
  readonly top: string;
  readonly commit: string;
}

/** Files and folders in a clone that its commit does not have; a folder without files of the commit is one entry. */
export async function listAdded(clone: Compared): Promise<readonly string[]> {
  const { out } = await withIndex(clone, ["ls-files", "--others", "--directory", "-z"]);
  return readable(out)
    .split("\0")
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => path !== "");
}

/** What a setup has made in a clone. */
export interface Installed {
  readonly installed: readonly string[];
  readonly isBuilt: boolean;
}

/** What a check left in a clone: what was installed, caches, and whether it wrote anything else. */
export async function leftBy(clone: Compared, { installed, isBuilt }: Installed) {
  const all = await listAdded(clone);
  const left = all.filter((path) => !installed.includes(path));
  const caches = left.filter((path) => isCache(join(clone.top, path)));
  const { code } = await withIndex(clone, ["diff", "--quiet", "--ignore-submodules"]);
  return {
    entries: [...installed.filter((path) => all.includes(path)), ...caches],
    isBuilt: isBuilt || !installed.every((path) => all.includes(path)),
    leaves: left.length > caches.length || code !== 0,
  };
}

/** Git with an index of the commit: that of the clone has the user's HEAD, as in the checkout. */
async function withIndex({ top, commit }: Compared, args: readonly string[]) {
  const env = { GIT_INDEX_FILE: join(top, ".git", "index-of-commit") };
  await git({ cwd: top, args: ["read-tree", commit], env });
  return await git({ cwd: top, args, env, accept: [0, 1] });
}

/** By the convention of bford.info/cachedir: its content can be made again, and depends on nothing else. */
const isCache = (folder: string): boolean =>
  textIn(join(folder, "CACHEDIR.TAG")).startsWith("Signature: 8a477f597d28d172789f06886806bc55");

/** True if a setup has only installed packages: it need not run again while these are the same. */
export async function installsOnly(installed: readonly string[], top: string): Promise<boolean> {
  if (!installed.every(isInstalled)) return false;
  const { out } = await git({ cwd: top, args: ["ls-files", "-z", "--", "package.json", "*/package.json"] });
  const manifests = readable(out)
    .split("\0")
    .filter((path) => path !== "");
  return !manifests.some((path) => installScript.test(textIn(join(top, path))));
}

/** npm's names of scripts that run when packages are installed. */
const installScript = /"(?:(?:pre|post)?install|(?:pre|post)?prepare|prepublish)"\s*:/;

/** Files that say which packages are installed, and how. */
export const isManifest = (path: string): boolean => manifest.test(path);

const manifest =
  /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-[\w-]+\.yaml|bun\.lockb|\.?pnpm[\w-]*\.c?js|\.npmrc|\.yarnrc[^/]*|composer\.json|mix\.exs|Pipfile|Gemfile|gems\.rb|[^/]*\.gemspec|setup\.(?:cfg|py)|(?:requirements|constraints)[^/]*|\.[\w-]+-versions?|[^/]*\.(?:toml|lock))$|(?:^|\/)(?:\.yarn|\.pnpm|patches|requirements|vendor)\//;

/** Moves the entries of a kept clone into a new one, unless the commit has something there. */
export function moveEntries({ folder, top, entries }: KeptClone, to: string): void {
  for (const path of entries) {
    const [source, target] = [join(folder, "before", top, path), join(to, path)];
    if (!isThere(source) || isThere(target) || !isPlain(to, dirname(path))) continue;
    mkdirSync(dirname(target), { recursive: true });
    renameSync(source, target);
  }
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** False if a part of the path is a link or a file: the commit decides where that leads. */
function isPlain(top: string, path: string): boolean {
  let at = top;
  for (const name of path.split("/").filter((part) => part !== ".")) {
    at = join(at, name);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return true;
    if (!stat.isDirectory()) return false;
  }
  return true;
}
