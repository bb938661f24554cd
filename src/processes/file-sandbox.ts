import { existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { IsolationError } from "../ports/isolation.ts";
import type { Environment } from "./environment.ts";
import { withRepository } from "./git-folders.ts";
import { gitSettings } from "./git-settings.ts";
import { homesOf } from "./home-folders.ts";
import { isWritable } from "./is-writable.ts";
import { attempt, namesIn } from "./lenient-reads.ts";
import { agentLoginsOf, credentialsNamed, credentialsOf } from "./private-files.ts";
import { programPath } from "./program-path.ts";
import { systemPath } from "./system-path.ts";
import { ownFolder, recordPlaces } from "./temp-folder.ts";
import { cachesOf, goFolder, javaCaches, makeIfMissing, makeMissingCaches } from "./tool-caches.ts";
import { daemonFolders, installedAgents, installedTools, startupFiles } from "./tool-files.ts";

/**
 * Starts programs in their own namespaces. They see no other process, can write only in a few places, and find this
 * user's credentials empty.
 */
export interface FileSandbox {
  /** The command prefix for a program; `writable` are additional folders for this program. */
  readonly prefix: (writable: readonly string[], more: SandboxOptions) => readonly string[];
}

export interface SandboxOptions {
  /** Folders within the writable ones that this program may only read. */
  readonly kept: readonly string[];
  /** Existing files, folders and sockets that this program finds empty. */
  readonly masks: readonly string[];
  /** Additional flags for bubblewrap. */
  readonly flags: readonly string[];
}

export interface FileSandboxOptions {
  readonly environment: Environment;
  /** The checkout, and other folders that every program may write to. */
  readonly writable: readonly string[];
  /** The user's home folders, `HOME` first; default: those of this machine. */
  readonly homes?: readonly string[];
}

/** The sandbox of this machine, built by bubblewrap; or the reason why there is none. */
export function findFileSandbox({
  environment,
  writable,
  homes = homesOf(environment),
}: FileSandboxOptions): FileSandbox | string {
  const bwrap = programPath("bwrap", systemPath);
  if (bwrap === "bwrap") return "bubblewrap is not installed";
  const [home = homedir()] = homes;
  makeMissingCaches(environment, homes);
  const caches = [...cachesOf(environment, home), ...homes.flatMap(javaCaches)];
  const checkouts = [...writable.flatMap(withRepository)].filter(isWritable);
  const places = [...checkouts, ...temporary(environment), ...caches].filter(isWritable);
  const unmoved = watchPlaces(places);
  const programs = programFolders(environment, { homes, checkouts, places });
  // The record may be created after the sandbox.
  const lasting = () => [...programs, ...records(environment)];
  const compiled = [...compiledCode(), ...daemonFolders(environment).map(empty)];
  const hidden = [
    ...homes.flatMap(credentialsOf),
    ...credentialsNamed(environment),
    ...otherCheckouts(writable, home),
    ownFolder(),
  ];
  return {
    prefix(more, { kept: ours, masks, flags }) {
      const own = more.filter(isWritable);
      // A login stays visible to an agent that may write to its folder; access to the whole home folder does not count.
      const logins = homes
        .flatMap(agentLoginsOf)
        .filter((path) => !own.some((at) => !homes.includes(at) && isIn(path, at)));
      const isOpened = (path: string) => [...checkouts, ...own].some((at) => isIn(at, path));
      const closed = [...[...hidden, ...logins].filter((path) => existsSync(path)), ...masks].filter(
        (path) => !isOpened(path),
      );
      const isSeen = (path: string) => !closed.some((at) => isIn(path, at));
      const open = [...new Set([...unmoved(), ...own])].filter(isSeen);
      const kept = [...ours, ...lasting(), ...[...checkouts, ...own].flatMap(gitSettings)].filter(isSeen);
      const mounts = [
        ...open.flatMap((path) => [bind(path), ...foldersBetween(path, { open, kept })]),
        ...kept.flatMap((path) => keep(path, { open, kept })),
        ...compiled,
        ...[...closed, ...masks.filter(isOpened)].flatMap(hide),
      ];
      // Deeper paths come later; at the same depth, the stricter mount comes later.
      const ordered = withoutCopies(mounts).sort((one, other) => depthOf(one) - depthOf(other));
      const last = ordered.flatMap(({ after = [] }) => after);
      return [bwrap, ...fixed(), ...ordered.flatMap(({ flags }) => flags), ...last, ...flags, "--"];
    },
  };
}

const fixed = () => [
  "--die-with-parent",
  ...["--unshare-user", "--unshare-pid", "--unshare-ipc"],
  ...["--cap-drop", "ALL"],
  ...["--ro-bind", "/", "/"],
  // Read-only: otherwise a program could reset its `oom_score_adj`, and no longer be the first to end when memory
  // runs out.
  ...["--proc", "/proc", "--remount-ro", "/proc"],
  ...devices(),
];

interface Mount {
  readonly path: string;
  readonly flags: readonly string[];
  /** Flags that come after all mounts: nothing can be mounted in a read-only folder. */
  readonly after?: readonly string[];
}

const withoutCopies = (mounts: readonly Mount[]) => [
  ...new Map(mounts.map((mount) => [mount.flags.join("\0"), mount])).values(),
];

const depthOf = ({ path }: Mount) => path.split("/").length;

const bind = (path: string): Mount => ({ path, flags: ["--bind", path, path] });

interface Places {
  readonly open: readonly string[];
  readonly kept: readonly string[];
}

/** Mounts a path read-only in a writable place. */
const keep = (path: string, places: Places): readonly Mount[] =>
  places.open.some((place) => isIn(path, place))
    ? [...foldersBetween(path, places), { path, flags: ["--ro-bind", path, path] }]
    : [];

/** The folders between a writable place and a mount in it are mounted too: otherwise they could be renamed. */
function foldersBetween(path: string, { open, kept }: Places): readonly Mount[] {
  const between: Mount[] = [];
  for (let at = dirname(path); open.some((place) => place !== at && isIn(at, place)); at = dirname(at))
    // A folder that is read-only itself cannot be renamed, and must not become writable again.
    if (!open.includes(at) && !kept.some((other) => isIn(at, other))) between.push(bind(at));
  return between;
}

/** The same places at each start; throws if one has become a link, or lies below one, since. */
function watchPlaces(places: readonly string[]): () => readonly string[] {
  const real = (path: string) => attempt(() => realpathSync(path));
  const before = new Map(places.map((path) => [path, real(path)]));
  return () => {
    for (const [path, was] of before) {
      const now = real(path) ?? was;
      if (now !== was)
        throw new IsolationError(
          `${path} leads to ${now} since a program of the run changed it: programs could write there; remove the link, then resume the run`,
        );
    }
    return places;
  };
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/**
 * A private /dev without the user's terminals (a program could read what is typed there), raw disks and shared memory.
 * Devices that tests use are included.
 */
function devices(): readonly string[] {
  const useful = namesIn("/dev").filter((name) => /^(dri|fuse|kfd|kvm|net|nvidia.*|vhost-.*)$/.test(name));
  return [
    ...["--dev", "/dev"],
    ...useful.flatMap((name) => ["--dev-bind-try", join("/dev", name), join("/dev", name)]),
  ];
}

/**
 * Program folders on PATH that lie in writable places. They become read-only: otherwise a later process would start
 * what a run put there. Those in the checkout or in an active virtual environment stay writable, because they are part
 * of the work.
 */
function programFolders(
  environment: Environment,
  { homes, checkouts, places }: Readonly<Record<"homes" | "checkouts" | "places", readonly string[]>>,
): readonly string[] {
  const active = [...checkouts, environment["VIRTUAL_ENV"] ?? "", environment["CONDA_PREFIX"] ?? ""];
  const isActive = (path: string) => active.some((place) => place !== "" && isIn(path, place));
  const named = (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((path) => isAbsolute(path) && !isActive(path));
  // Create missing ones, so that no program can create them.
  for (const path of named) if (places.some((place) => isIn(path, place))) makeIfMissing(path);
  const tools = [
    ...homes.flatMap((home) => installedTools(home, goFolder(environment, home))),
    ...installedAgents(environment),
  ];
  return [...named, ...[...startupFiles(environment), ...tools].filter((path) => !isActive(path))].filter(
    (path) => existsSync(path),
  );
}

/** The caches of compiled code of Node, yarn and tsx: a program that writes there decides what other processes run. */
function compiledCode(): readonly Mount[] {
  const uid = process.getuid?.() ?? 0;
  const names = ["node-compile-cache", `v8-compile-cache-${uid}`, `tsx-${uid}`];
  const folders = [...new Set(["/tmp", tmpdir()])].flatMap((tmp) => names.map((name) => join(tmp, name)));
  for (const path of folders) attempt(() => mkdirSync(path, { mode: 0o700 }));
  return folders
    .filter((path) => attempt(() => lstatSync(path).isDirectory()) === true && isWritable(path))
    .map(empty);
}

/** Writable, but empty at each start. */
const empty = (path: string): Mount => ({ path, flags: ["--tmpfs", path] });

const temporary = (environment: Environment) =>
  [tmpdir(), "/tmp", "/var/tmp", environment["RUNNER_TEMP"] ?? ""].filter((path) => path !== "");

/** The record of a job's runs is read-only, like that in git's folder, except for the artifacts. */
const records = (environment: Environment) =>
  recordPlaces(environment).flatMap((path) => attempt(() => realpathSync(path)) ?? []);

/** Other checkouts next to this one; they are hidden. */
function otherCheckouts(checkouts: readonly string[], home: string): readonly string[] {
  const tops = checkouts.flatMap(withRepository);
  const kept = (path: string) => tops.some((top) => top === path || top.startsWith(`${path}/`));
  const parents = new Set(tops.map(dirname));
  const shared = new Set(["/", "/tmp", tmpdir(), "/var/tmp", home]);
  return [...parents]
    .filter((parent) => !shared.has(parent))
    .flatMap((parent) => namesIn(parent).map((name) => join(parent, name)))
    .filter((path) => !kept(path) && existsSync(join(path, ".git")))
    .slice(0, 64);
}

/** Replaces a path with an empty folder or file. A link is hidden at its target. One that has disappeared needs nothing. */
function hide(target: string): readonly Mount[] {
  const path = attempt(() => realpathSync(target));
  if (path === undefined) return [];
  return attempt(() => lstatSync(path).isDirectory()) === true
    ? [{ path, flags: ["--tmpfs", path], after: ["--remount-ro", path] }]
    : [{ path, flags: ["--dev-bind", "/dev/null", path] }];
}
