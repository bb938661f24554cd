import { type Dirent, lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { git, readable } from "../../git/git.ts";
import { type ObjectDatabase, readObjects, type Tree, writeTree } from "../../git/objects.ts";
import { redactSecrets, shortestSecret } from "../../ports/redact-secrets.ts";
import { makeOwnFolders } from "../../processes/make-folder.ts";
import { readRegularBytes } from "../../processes/regular-file.ts";

/** Limits for a folder that is sent to other machines. */
export interface Caps {
  readonly fileBytes: number;
  readonly bytes: number;
  readonly files: number;
}

interface Packing {
  readonly folder: string;
  readonly caps: Caps;
  /** Values that must not leave this machine. */
  readonly secrets: readonly string[];
  /** True if a file may be sent; `path` is relative to the folder. */
  travels(path: string): boolean;
  /** Encodes a file for storage. */
  seal(path: string, body: Buffer): Buffer;
  readonly newestFirst?: boolean;
}

/** Writes the files of a folder as a tree, as many as fit, without links and secrets; `undefined` if there are none. */
export function packFiles({ gitDir, format }: ObjectDatabase, packing: Packing): string | undefined {
  const { folder, caps, secrets, newestFirst = false } = packing;
  const files = filesIn(folder).flatMap((path) => {
    const name = relative(folder, path).replaceAll("\\", "/");
    const isSecret = secrets.some((secret) => name.includes(secret));
    const file = packing.travels(name) && !isSecret ? ifThere(() => lstatSync(path)) : undefined;
    return file === undefined ? [] : [{ path, name, size: file.size, changed: file.mtimeMs }];
  });
  const ordered = newestFirst ? files.toSorted((a, b) => b.changed - a.changed) : files;
  let left = caps.bytes;
  const tree: Record<string, Tree[string]> = {};
  for (const { path, name, size } of ordered.slice(0, caps.files)) {
    const fits = Math.min(caps.fileBytes, left);
    const bytes = size > fits ? undefined : readRegularBytes(path, folder);
    if (bytes === undefined || bytes.length > fits) continue;
    left -= bytes.length;
    put(tree, name.split("/"), packing.seal(name, redacted(bytes, secrets)));
  }
  return Object.keys(tree).length === 0 ? undefined : writeTree(gitDir, format, tree);
}

interface Unpacking {
  readonly tree: string;
  readonly folder: string;
  travels(path: string): boolean;
  /** Decodes a stored file. */
  open(path: string, stored: Buffer): Buffer;
  /** The mode of the files; that of the folders is derived from it. */
  readonly mode?: number;
}

/** Writes the files of a tree to a folder, and overwrites existing ones. */
export async function unpackFiles(
  { gitDir }: Pick<ObjectDatabase, "gitDir">,
  unpacking: Unpacking,
): Promise<void> {
  const { tree, folder, travels, open, mode = 0o666 } = unpacking;
  const { out } = await git({ cwd: gitDir, args: ["ls-tree", "-r", "-z", tree] });
  const rows = readable(out)
    .split("\0")
    .flatMap((row) => {
      const [, id = "", path = ""] = /^100\d{3} blob (\S+)\t([\s\S]+)$/.exec(row) ?? [];
      return path === "" || path.split("/").some(isUnsafe) || !travels(path) ? [] : [{ id, path }];
    });
  const bodies = await readObjects(
    gitDir,
    rows.map(({ id }) => id),
  );
  for (const [index, { path }] of rows.entries()) {
    const above = dirname(path);
    if (above !== ".") makeOwnFolders(folder, above, mode | ((mode & 0o444) >> 2));
    // A program may have put a link there.
    rmSync(join(folder, path), { recursive: true, force: true });
    writeFileSync(join(folder, path), open(path, bodies[index] ?? Buffer.alloc(0)), { flag: "wx", mode });
  }
}

/** Skips files that an agent is moving or locking at this moment. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "EACCES", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}

function filesIn(folder: string): readonly string[] {
  const entries: readonly Dirent[] = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries
    .filter(({ name }) => !name.startsWith("."))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path);
      return entry.isFile() ? [path] : [];
    });
}

function put(tree: Record<string, Tree[string]>, path: readonly string[], body: Buffer): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    tree[name] = body;
    return;
  }
  tree[name] ??= {};
  put(tree[name] as Record<string, Tree[string]>, rest, body);
}

/** Anyone with push access may have written the tree, so no part of a path may lead out of the folder. */
const isUnsafe = (part: string) => part === "" || part === "." || part === ".." || /[\\:\0]/.test(part);

function redacted(bytes: Buffer, secrets: readonly string[]): Buffer {
  const latin = secrets
    .filter(({ length }) => length >= shortestSecret)
    .map((secret) => Buffer.from(secret).toString("latin1"));
  const text = bytes.toString("latin1");
  const struck = redactSecrets(text, latin);
  return struck === text ? bytes : Buffer.from(struck, "latin1");
}
