import { mkdirSync, realpathSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { Launch } from "../ports/isolation.ts";
import { isPlain, lendLayers } from "./cache-layers.ts";
import { devices } from "./devices.ts";
import type { Environment } from "./environment.ts";
import { repositoriesBelow, withRepository } from "./git-folders.ts";
import { gitMounts, holdMissing, missingSettings, settingsMount } from "./git-mounts.ts";
import { homesOf } from "./home-folders.ts";
import { isWritable } from "./is-writable.ts";
import { attempt, namesIn } from "./lenient-reads.ts";
import { listeningSockets } from "./listening-sockets.ts";
import { isFolder } from "./make-folder.ts";
import { flagsOf, isIn, type Mount } from "./mounts.ts";
import { isThere } from "./path-kind.ts";
import { agentLoginsOf, runnerFilePaths } from "./private-files.ts";
import { folderFor, makePrivateFolder, type PrivateFolder } from "./private-folder.ts";
import { keyPlaces } from "./protected-places.ts";
import { installationOf, missingOnPath, show, systemMounts, toolMounts } from "./shown-places.ts";
import { ownFolder, storageFolder } from "./temp-folder.ts";
import { temporaryMounts } from "./temporary-mounts.ts";
import { cachesOf, firstCaches, installedTools, startupFiles } from "./tool-caches.ts";
import { watchPlaces } from "./watch-places.ts";

/**
 * What programs of a run see of this machine: the system and its tools, their checkout, and private folders in the
 * place of shared ones. Everything else is absent.
 */
export interface FileSandbox {
  /** The view of one program that starts now. */
  view(launch: Viewed): View;
}

type Viewed = Pick<Launch, "command" | "writable" | "readable" | "kept" | "isFresh">;

export interface View {
  /** Flags for bubblewrap. */
  readonly flags: readonly string[];
  /** Lines of an `fstab`, mounted inside before privileges are dropped; none if there are no layers. */
  readonly table: readonly string[];
  /** Call it when the program has ended. */
  close(): void;
}

export interface FileSandboxOptions {
  readonly environment: Environment;
  /** The checkout, and other places that every program may write to. */
  readonly writable: readonly string[];
  /** Places that every program may read besides. */
  readonly shown?: readonly string[];
  /** The user's home folders, `HOME` first; default: those of this machine. */
  readonly homes?: readonly string[];
  /** Whether caches can have layers: it needs overlays in user namespaces. */
  readonly hasLayers?: boolean;
}

export function openFileSandbox({
  environment,
  writable,
  shown = [],
  homes = homesOf(environment),
  hasLayers = true,
}: FileSandboxOptions): FileSandbox {
  let fixed: Fixed | undefined;
  return {
    view(launch) {
      fixed ??= {
        ...fixedPlaces(environment, homes.length > 0 ? homes : [homedir()], writable),
        unmoved: watchPlaces(writable),
      };
      const { writable: own = [], readable = [], isFresh = false } = launch;
      const { place } = fixed;
      const fresh = isFresh ? makePrivateFolder() : undefined;
      const open = [...fixed.unmoved(), ...own].filter(isThere).flatMap(withRepository).filter(isWritable);
      const writes = [...new Set(open.map((path) => realpathSync(path)))];
      const repositories = [...writes, ...fixed.nested.filter(isThere)];
      const release = holdMissing(repositories.flatMap(missingSettings));
      const caches = fixed.caches.filter((path) => !writes.some((at) => isIn(path, at)));
      const layers = hasLayers
        ? lendLayers({ caches, fixed: fixed.installed, forgotten: fixed.startup, place })
        : undefined;
      const named = [...shown, ...readable];
      const mounts = [
        ...fixed.mounts,
        ...temporaryMounts(environment, fresh ?? place),
        ...(layers?.mounts ?? caches.map((path) => privately(path, place))),
        ...toolsFor(launch, fixed, writes),
        ...named.flatMap(show),
        ...open.flatMap(show).filter(({ kind }) => kind === "link"),
        ...writes.map((path): Mount => ({ path, kind: "write" })),
        ...repositories.flatMap((path) => gitMounts(path, place)),
        ...ownPlaces(launch, environment),
      ];
      const seen = withoutSockets([...mounts, ...keysIn(mounts, fixed, own)], named);
      return {
        flags: [...start, ...devices(), ...flagsOf(seen, place)],
        table: layers?.table ?? [],
        close() {
          release();
          layers?.release();
          fresh?.remove();
        },
      };
    },
  };
}

/** Tools outside the checkout, where they may be part of the work; those in caches are kept as they are there. */
const toolsFor = ({ command }: Viewed, { tools, caches }: Fixed, writes: readonly string[]) =>
  [...tools, ...(writes.some((at) => isIn(command, at)) ? [] : programOf(command))].filter(
    ({ path }) => ![...writes, ...caches].some((at) => isIn(path, at)),
  );

/** What one program has for itself, and what of ours nobody sees. */
const ownPlaces = ({ kept = [], writable = [] }: Viewed, environment: Environment): readonly Mount[] => [
  ...kept.map((path): Mount => ({ path, kind: "read" })),
  ...writable.filter(isThere).map((path): Mount => ({ path: realpathSync(path), kind: "write" })),
  ...[ownFolder(), storageFolder()].map((path): Mount => ({ path, kind: "empty" })),
  ...runnerFilePaths(environment).map(
    (path): Mount => ({ path, kind: isFolder(path) ? "empty" : "nothing" }),
  ),
];

const start = ["--die-with-parent", "--unshare-pid", "--unshare-ipc"];

/** What does not change while this process runs. */
interface Fixed {
  readonly homes: readonly string[];
  /** What the run has in the place of shared folders. */
  readonly place: PrivateFolder;
  readonly mounts: readonly Mount[];
  readonly tools: readonly Mount[];
  readonly caches: readonly string[];
  readonly installed: readonly string[];
  readonly startup: readonly string[];
  /** Other checkouts in the checkout, from before the run: later steps run git there. */
  readonly nested: readonly string[];
  readonly keys: readonly string[];
  readonly logins: readonly string[];
  unmoved(): readonly string[];
}

function fixedPlaces(
  environment: Environment,
  homes: readonly string[],
  writable: readonly string[],
): Omit<Fixed, "unmoved"> {
  const place = makePrivateFolder();
  const isOpen = (path: string) => writable.some((at) => isIn(path, at));
  const first = firstCaches(environment, homes);
  // Created as their tools would create them: in a read-only folder nothing can be mounted.
  for (const path of first)
    if (!isGeneral(path) && !homes.some((home) => isIn(path, home) && !isThere(home)))
      attempt(() => mkdirSync(path, { recursive: true }));
  const all = [...cachesOf(environment, homes), ...first]
    .filter((path) => !isGeneral(path))
    .flatMap((path) => attempt(() => realpathSync(path)) ?? []);
  const folders = [...new Set(all)].filter(
    (path) => !isOpen(path) && isPlain(path) && isWritable(path) && statSync(path).isDirectory(),
  );
  const outer = folders.filter((path) => !folders.some((other) => other !== path && isIn(path, other)));
  // A layer takes half a millisecond at each start, and an empty cache needs none.
  const caches = outer.filter((path) => namesIn(path).length > 0);
  const general = [...first.filter(isGeneral), ...outer.filter((path) => !caches.includes(path))];
  const tools = [
    ...toolMounts(environment, homes, writable.flatMap(withRepository)),
    ...missingOnPath(environment),
  ];
  const writes = [...general, ...temporaryMounts(environment, place).map(({ path }) => path), ...caches];
  return {
    homes,
    place,
    mounts: [
      ...homes.map((path): Mount => ({ path, kind: "empty" })),
      ...systemMounts(),
      // It lies in the runner's temporary folder, and checks read it.
      ...show(environment["GITHUB_EVENT_PATH"] ?? ""),
      ...general.map((path) => privately(path, place)),
      ...homes.flatMap((home) =>
        gitOf(home)
          .filter(isThere)
          .map((path) => settingsMount(path, place)),
      ),
      ...homes.flatMap((home) => gitRules.map((name) => join(home, name))).flatMap(show),
    ],
    // A folder that is missing is made only where a program could make it.
    tools: tools.filter(({ kind, path }) => kind !== "empty" || writes.some((at) => isIn(path, at))),
    caches,
    installed: [
      ...installedTools(homes),
      ...tools.filter(({ kind }) => kind === "read").map(({ path }) => path),
    ],
    startup: startupFiles(environment, homes),
    nested: writable.filter((path) => !isShared(path)).flatMap((path) => repositoriesBelow(path)),
    keys: keyPlaces(environment, homes),
    logins: homes.flatMap(agentLoginsOf),
  };
}

/** The folder of all caches: what nobody names in it belongs to other programs. */
const isGeneral = (path: string) => basename(path) === ".cache";

const privately = (path: string, place: PrivateFolder): Mount => ({
  path,
  kind: "write",
  source: folderFor(place, path, "cache"),
});

const isShared = (path: string) => ["/tmp", "/var/tmp", tmpdir()].includes(path);

const gitOf = (home: string) => [".gitconfig", ".config/git/config"].map((name) => join(home, name));
const gitRules = [".config/git/ignore", ".config/git/attributes"];

/** A program that was found where nothing else is shown. */
const programOf = (command: string): readonly Mount[] =>
  command.startsWith("/") ? show(installationOf(attempt(() => realpathSync(command)) ?? command)) : [];

/** Where a whole home folder is shown, as that of a checkout, what is in it for nobody else is empty. */
function keysIn(
  mounts: readonly Mount[],
  { keys, logins, homes }: Fixed,
  own: readonly string[],
): readonly Mount[] {
  const places = mounts.filter(isShown);
  return [
    ...keys.filter((path) => !own.some((at) => isIn(at, path))),
    // An agent may use its own login; that it may write to a whole home folder does not count.
    ...logins.filter((path) => !own.some((at) => !homes.includes(at) && isIn(path, at))),
  ]
    .flatMap((path) => attempt(() => realpathSync(path)) ?? [])
    .filter((path) => places.some((place) => isIn(path, place.path)))
    .map((path) => ({ path, kind: isFolder(path) ? "empty" : "nothing" }));
}

/** Whether a mount shows what is there outside. */
const isShown = ({ kind, source }: Mount) => (kind === "read" || kind === "write") && source === undefined;

/** Sockets of other programs are empty files, unless somebody named them. */
function withoutSockets(mounts: readonly Mount[], named: readonly string[]): readonly Mount[] {
  const places = mounts.filter(isShown);
  const meant = [ownFolder(), ...named.map((path) => resolve(path))];
  const isMeant = (path: string) => meant.some((at) => isIn(path, at));
  const sockets = listeningSockets().filter(
    (path) => !isMeant(path) && places.some((place) => isIn(path, place.path)) && isThere(path),
  );
  return [...mounts, ...sockets.map((path): Mount => ({ path, kind: "nothing" }))];
}
