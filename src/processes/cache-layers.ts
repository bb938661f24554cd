import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isIn, type Mount } from "./mounts.ts";
import type { PrivateFolder } from "./private-folder.ts";
import { removeAll } from "./remove-all.ts";

/** Shared caches of one program: it reads them, and what it writes is in a layer that ends with the run. */
export interface CacheLayers {
  readonly mounts: readonly Mount[];
  /** Lines of an `fstab`, which are mounted inside. */
  readonly table: readonly string[];
  /** The layers are the next program's. */
  release(): void;
}

export interface LayerOptions {
  readonly caches: readonly string[];
  /** Files and folders in them that stay as they are. */
  readonly fixed: readonly string[];
  /** Files and folders in them of which no program finds what another has written. */
  readonly forgotten: readonly string[];
  readonly place: PrivateFolder;
}

/** Where the layers are while they are mounted; hidden afterwards. */
const behind = "/.until-green-layers";

const taken = new Map<string, Set<number>>();

/**
 * Lends a run's layers to one program. Two mounts must not share a layer, so a program that starts while another works
 * gets the next ones.
 */
export function lendLayers({ caches, fixed, forgotten, place }: LayerOptions): CacheLayers {
  const used = taken.get(place.path) ?? new Set();
  taken.set(place.path, used);
  const number = [...Array(used.size + 1).keys()].find((at) => !used.has(at)) ?? used.size;
  used.add(number);
  const root = place.folder(`layers-${number}`);
  place.folder(`layers-${number}/none`);
  const lines = caches.map((path, at) => {
    for (const part of ["up", "work"]) place.folder(`layers-${number}/${at}/${part}`);
    // The mark of a volatile layer, which says that a crash may have lost something: then the run is over, too.
    rmSync(join(root, `${at}/work/work/incompat`), { recursive: true, force: true });
    const options = `userxattr,volatile,lowerdir=${path},upperdir=${behind}/${at}/up,workdir=${behind}/${at}/work`;
    return `overlay ${path} overlay ${options} 0 0`;
  });
  const inside = (path: string) => caches.some((cache) => isIn(path, cache));
  const kept = fixed.filter((path) => inside(path) && existsSync(path) && isPlain(path));
  return {
    mounts: [
      ...caches.map((path): Mount => ({ path, kind: "read" })),
      { path: behind, kind: "write", source: root },
    ],
    table: [
      ...lines,
      // The folders above are mounted too: otherwise they could be renamed.
      ...[...new Set(kept.flatMap((path) => between(path, caches)))].map(
        (path) => `${path} ${path} none bind 0 0`,
      ),
      ...kept.map((path) => `${path} ${path} none bind,ro 0 0`),
      ...forgotten
        .filter((path) => isDaemonsFolder(path) && inside(path) && existsSync(path) && isPlain(path))
        .map((path) => `${behind}/none ${path} none bind,ro 0 0`),
      `${behind}/none ${behind} none bind,ro 0 0`,
    ],
    release() {
      for (const [at, cache] of caches.entries())
        for (const path of forgotten)
          if (path !== cache && isIn(path, cache))
            removeAll(join(root, String(at), "up", path.slice(cache.length + 1)));
      used.delete(number);
    },
  };
}

function between(path: string, caches: readonly string[]): readonly string[] {
  const above = dirname(path);
  return caches.includes(above) || !caches.some((cache) => isIn(above, cache))
    ? []
    : [...between(above, caches), above];
}

const isDaemonsFolder = (path: string) => /(?:^|\/)(?:daemon|server)$/.test(path);

/** A path that means itself in an `fstab` and in the options of a mount. */
export const isPlain = (path: string): boolean => !/[\s\\#,:"]/.test(path);
