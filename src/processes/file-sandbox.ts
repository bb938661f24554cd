import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";
import { withRepository } from "./git-folders.ts";
import { gitSettings } from "./git-settings.ts";
import { isWritable } from "./is-writable.ts";
import { agentLoginsOf, credentialsNamed, credentialsOf } from "./private-files.ts";
import { programPath } from "./program-path.ts";
import { systemPath } from "./system-path.ts";
import { ownFolder } from "./temp-folder.ts";
import { cachesOf, goFolder, makeIfMissing, makeMissingCaches } from "./tool-caches.ts";
import { daemonFolders, installedAgents, installedTools, startupFiles } from "./tool-files.ts";

/**
 * Starts programs in namespaces of their own. They see no other process, may write in few places only, and find the
 * credentials of this user empty.
 */
export interface FileSandbox {
  /** The prefix of a program and its arguments; `writable` are further folders of this program. */
  readonly prefix: (writable: readonly string[], more: SandboxOptions) => readonly string[];
}

export interface SandboxOptions {
  /** Folders among the writable ones that this program may only read. */
  readonly kept: readonly string[];
  /** Files, folders and sockets, which are there, that this program finds empty. */
  readonly masks: readonly string[];
  /** Further flags of bubblewrap. */
  readonly flags: readonly string[];
}

export interface FileSandboxOptions {
  readonly environment: Environment;
  /** The checkout, and further folders in which every program may write. */
  readonly writable: readonly string[];
}

/** The sandbox of this machine; the reason why there is none. bubblewrap builds it. */
export function findFileSandbox({ environment, writable }: FileSandboxOptions): FileSandbox | string {
  const bwrap = programPath("bwrap", systemPath);
  if (bwrap === "bwrap") return "bubblewrap is not installed";
  const home = environment["HOME"] ?? homedir();
  makeMissingCaches(environment, home);
  const caches = cachesOf(environment, home);
  const checkouts = [...writable.flatMap(withRepository)].filter(isWritable);
  const places = [...checkouts, ...temporary(environment), ...caches].filter(isWritable);
  const programs = programFolders(environment, { home, checkouts, places });
  const compiled = [...compiledCode(), ...daemonFolders(environment).map(empty)];
  const hidden = [
    ...credentialsOf(home),
    ...credentialsNamed(environment),
    ...otherCheckouts(writable, home),
    ownFolder(),
  ];
  const fixed = [
    "--die-with-parent",
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc"],
    ...["--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/"],
    // Read-only: a program could otherwise take back what makes it the first to end when memory runs out.
    ...["--proc", "/proc", "--remount-ro", "/proc"],
    ...devices(),
  ];
  return {
    prefix(more, { kept: ours, masks, flags }) {
      const own = more.filter(isWritable);
      // An agent's own login may be in a folder of its own, which lies in the home.
      const logins = agentLoginsOf(home).filter((path) => !own.some((at) => at !== home && isIn(path, at)));
      const isOpened = (path: string) => [...checkouts, ...own].some((at) => isIn(at, path));
      const closed = [...[...hidden, ...logins].filter((path) => existsSync(path)), ...masks].filter(
        (path) => !isOpened(path),
      );
      const isSeen = (path: string) => !closed.some((at) => isIn(path, at));
      const open = [...new Set([...places, ...own])].filter(isSeen);
      const kept = [...ours, ...programs, ...[...checkouts, ...own].flatMap(gitSettings)].filter(isSeen);
      const mounts = [
        ...open.map(bind),
        ...kept.flatMap((path) => keep(path, { open, kept })),
        ...compiled,
        ...[...closed, ...masks.filter(isOpened)].map(hide),
      ];
      // What lies deeper is said later; among equals what forbids more.
      const ordered = withoutCopies(mounts).sort((one, other) => depthOf(one) - depthOf(other));
      const last = ordered.flatMap(({ after = [] }) => after);
      return [bwrap, ...fixed, ...ordered.flatMap(({ flags }) => flags), ...last, ...flags, "--"];
    },
  };
}

interface Mount {
  readonly path: string;
  readonly flags: readonly string[];
  /** What comes when all is mounted: a folder that is read-only takes no mounts. */
  readonly after?: readonly string[];
}

const withoutCopies = (mounts: readonly Mount[]) => [
  ...new Map(mounts.map((mount) => [mount.flags.join("\0"), mount])).values(),
];

const depthOf = ({ path }: Mount) => path.split("/").length;

const bind = (path: string): Mount => ({ path, flags: ["--bind", path, path] });

/** Read-only within a place that is not: a folder on the way could be renamed, unless it is mounted itself. */
function keep(
  path: string,
  { open, kept }: { readonly open: readonly string[]; readonly kept: readonly string[] },
): readonly Mount[] {
  if (!open.some((place) => isIn(path, place))) return [];
  const between: Mount[] = [];
  for (let at = dirname(path); open.some((place) => place !== at && isIn(at, place)); at = dirname(at))
    // What is read-only itself neither moves nor opens again.
    if (!open.includes(at) && !kept.some((other) => isIn(at, other))) between.push(bind(at));
  return [...between, { path, flags: ["--ro-bind", path, path] }];
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/**
 * A /dev of its own: the terminals of the user, from which it could read what is typed, raw disks and shared memory are
 * not in it. Devices that tests use are.
 */
function devices(): readonly string[] {
  const useful = list("/dev").filter((name) => /^(dri|fuse|kfd|kvm|net|nvidia.*|vhost-.*)$/.test(name));
  return [
    ...["--dev", "/dev"],
    ...useful.flatMap((name) => ["--dev-bind-try", join("/dev", name), join("/dev", name)]),
  ];
}

/**
 * Program folders on PATH that lie in writable places: a later process would start what a run put there, so they become
 * read-only. Those of the checkout and of an active virtual environment stay writable, because they belong to the work.
 */
function programFolders(
  environment: Environment,
  {
    home,
    checkouts,
    places,
  }: Readonly<Record<"checkouts" | "places", readonly string[]>> & { readonly home: string },
): readonly string[] {
  const active = [...checkouts, environment["VIRTUAL_ENV"] ?? "", environment["CONDA_PREFIX"] ?? ""];
  const isActive = (path: string) => active.some((place) => place !== "" && isIn(path, place));
  const named = (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((path) => isAbsolute(path) && !isActive(path));
  // One that is missing is made, so that no program makes it.
  for (const path of named) if (places.some((place) => isIn(path, place))) makeIfMissing(path);
  const tools = [...installedTools(home, goFolder(environment, home)), ...installedAgents(environment)];
  return [...named, ...[...startupFiles(environment), ...tools].filter((path) => !isActive(path))].filter(
    (path) => existsSync(path),
  );
}

/** Where Node's own cache of compiled code, yarn's and tsx's are: whoever writes there decides what others run. */
function compiledCode(): readonly Mount[] {
  const uid = process.getuid?.() ?? 0;
  const names = ["node-compile-cache", `v8-compile-cache-${uid}`, `tsx-${uid}`];
  const folders = [...new Set(["/tmp", tmpdir()])].flatMap((tmp) => names.map((name) => join(tmp, name)));
  for (const path of folders) attempt(() => mkdirSync(path, { mode: 0o700 }));
  return folders
    .filter((path) => attempt(() => lstatSync(path).isDirectory()) === true && isWritable(path))
    .map(empty);
}

/** Writable, and empty at each start. */
const empty = (path: string): Mount => ({ path, flags: ["--tmpfs", path] });

const temporary = (environment: Environment) =>
  [tmpdir(), "/tmp", "/var/tmp", environment["RUNNER_TEMP"] ?? ""].filter((path) => path !== "");

/** Other checkouts beside this one are hidden. */
function otherCheckouts(checkouts: readonly string[], home: string): readonly string[] {
  const tops = checkouts.flatMap(withRepository);
  const kept = (path: string) => tops.some((top) => top === path || top.startsWith(`${path}/`));
  const parents = new Set(tops.map(dirname));
  const shared = new Set(["/", "/tmp", tmpdir(), "/var/tmp", home]);
  return [...parents]
    .filter((parent) => !shared.has(parent))
    .flatMap((parent) => list(parent).map((name) => join(parent, name)))
    .filter((path) => !kept(path) && existsSync(join(path, ".git")))
    .slice(0, 64);
}

/** An empty folder or file in its place. A link is hidden at its target. */
function hide(given: string): Mount {
  const path = realpathSync(given);
  return lstatSync(path).isDirectory()
    ? { path, flags: ["--tmpfs", path], after: ["--remount-ro", path] }
    : { path, flags: ["--dev-bind", "/dev/null", path] };
}

const list = (folder: string): readonly string[] => attempt(() => readdirSync(folder)) ?? [];

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
