import {
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { git, readable } from "../../workspace/git.ts";
import { type ObjectFormat, readObjects, type Tree, writeTree } from "./objects.ts";

/** What travels with the log: small files, few of them. Larger ones stay on the machine that made them. */
const most = { fileBytes: 64 * 1024, bytes: 1024 * 1024, files: 200 } as const;

interface Place {
  readonly gitDir: string;
  readonly format: ObjectFormat;
}

/** Writes the small files of a folder as a tree, without secrets, links and whatever begins with a dot. */
export function packArtifacts(
  { gitDir, format }: Place,
  folder: string,
  secrets: readonly string[],
): string | undefined {
  const files = filesIn(folder).slice(0, most.files);
  let left: number = most.bytes;
  const tree: Record<string, Tree[string]> = {};
  for (const path of files) {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
    if (size > Math.min(most.fileBytes, left)) continue;
    left -= size;
    put(tree, relative(folder, path).split(/[\\/]/), redacted(readFileSync(path), secrets));
  }
  return Object.keys(tree).length === 0 ? undefined : writeTree(gitDir, format, tree);
}

/** Writes the files of a tree into a folder, over what is there. */
export async function unpackArtifacts({ gitDir }: Place, tree: string, folder: string): Promise<void> {
  const { out } = await git({ cwd: gitDir, args: ["ls-tree", "-r", "-z", tree] });
  const rows = readable(out)
    .split("\0")
    .flatMap((row) => {
      const [, id = "", path = ""] = /^100\d{3} blob (\S+)\t([\s\S]+)$/.exec(row) ?? [];
      return path === "" || path.split("/").some(isUnsafe) ? [] : [{ id, path }];
    });
  const bodies = await readObjects(
    gitDir,
    rows.map(({ id }) => id),
  );
  for (const [index, { path }] of rows.entries()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bodies[index] ?? "");
  }
}

function filesIn(folder: string): readonly string[] {
  const entries: readonly Dirent[] = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
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

/** A tree may be written by anybody who may push: no part of a path leads out of the folder. */
const isUnsafe = (part: string) => part === "" || part === "." || part === ".." || /[\\:\0]/.test(part);

function redacted(bytes: Buffer, secrets: readonly string[]): Buffer {
  const found = secrets.filter((secret) => secret.length >= 8 && bytes.includes(secret));
  if (found.length === 0) return bytes;
  const latin = (text: string) => Buffer.from(text).toString("latin1");
  return Buffer.from(
    found.reduce((text, secret) => text.replaceAll(latin(secret), "***"), bytes.toString("latin1")),
    "latin1",
  );
}
