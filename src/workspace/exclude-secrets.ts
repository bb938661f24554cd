import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { bytes, git } from "../git/git.ts";
import { absent, readObjects, submodule } from "../git/objects.ts";
import type { Checkout } from "./checkout.ts";
import { searchFor } from "./secret-search.ts";

/** The state of a file after a change. */
export interface ChangedFile {
  readonly path: string;
  /** Git's file mode; zeros for a deleted file. */
  readonly mode: string;
  /** The id of its blob. */
  readonly object: string;
}

/**
 * The changed files that contain a known secret, in their content or name. Larger files than `mostBytes` cannot be
 * searched, and count too.
 */
export async function findSecrets(
  { store, secrets }: Checkout,
  changes: readonly ChangedFile[],
  mostBytes: number,
): Promise<readonly string[]> {
  if (secrets.length === 0) return [];
  const files = changes.filter(({ mode }) => mode !== absent && mode !== submodule);
  const packed = files.filter(({ object }) => !existsSync(looseAt(store, object)));
  const bodies = await readPacked(
    store,
    packed.map(({ object }) => object),
    mostBytes,
  );
  const search = searchFor(secrets);
  const holds = (file: ChangedFile) => {
    const body = bodies.has(file.object) ? bodies.get(file.object) : readLoose(store, file.object, mostBytes);
    return body === undefined || search(body) || search(Buffer.from(bytes(file.path), "latin1"));
  };
  return files.filter(holds).map(({ path }) => path);
}

const looseAt = (store: string, object: string) =>
  join(store, "objects", object.slice(0, 2), object.slice(2));

/** Newly added objects are loose, and can be read without starting git. */
function readLoose(store: string, object: string, mostBytes: number): Buffer | undefined {
  try {
    return inflateSync(readFileSync(looseAt(store, object)), { maxOutputLength: mostBytes });
  } catch {
    return undefined;
  }
}

/** Objects that are missing here, as in a partial clone, are old and contain nothing new. */
async function readPacked(
  store: string,
  objects: readonly string[],
  mostBytes: number,
): Promise<ReadonlyMap<string, Buffer | undefined>> {
  if (objects.length === 0) return new Map();
  const stdin = objects.map((object) => `${object}\n`).join("");
  const { out } = await git({ cwd: store, args: ["cat-file", "--batch-check=%(objectsize)"], stdin });
  const sizes = out.split("\n").map(Number);
  const bodies = new Map<string, Buffer | undefined>();
  let group: string[] = [];
  let bytes = 0;
  const read = async () => {
    const contents = await readObjects(store, group);
    for (const [at, object] of group.entries()) bodies.set(object, contents[at] ?? Buffer.of());
    group = [];
    bytes = 0;
  };
  for (const [at, object] of objects.entries()) {
    const size = sizes[at] ?? Number.NaN;
    if (size > mostBytes) bodies.set(object, undefined);
    else group.push(object);
    bytes += size <= mostBytes ? size : 0;
    if (bytes > mostBytes / 4) await read();
  }
  if (group.length > 0) await read();
  return bodies;
}

/** The trailer in a snapshot's message that names a file whose changes it does not contain. */
export const excludedTrailer = "Until-Green-Withheld:";

/** The files whose changes each of these snapshots does not contain. */
export async function readExcludedPaths(
  gitDir: string,
  commits: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const bodies = await readObjects(gitDir, commits);
  return bodies.map((body, at) => {
    if (body === undefined) throw new Error(`the snapshot ${commits[at]} is not in ${gitDir}`);
    const text = body.toString("utf8");
    return text.split("\n").flatMap((line) => {
      const named = line.startsWith(excludedTrailer) ? line.slice(excludedTrailer.length).trim() : "";
      return named === "" ? [] : [String(JSON.parse(named))];
    });
  });
}
