import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { git } from "../../workspace/git.ts";

export type ObjectFormat = "sha1" | "sha256";

/** What a tree holds: a blob's bytes, a tree again, or the name of a tree that is there already. */
export interface Tree {
  readonly [name: string]: Buffer | Tree | string;
}

export interface NewCommit {
  readonly tree: Tree;
  readonly parent: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  readonly message: string;
}

/** Writes a commit with its trees and blobs as loose objects, without starting git; answers its name. */
export function writeCommit(gitDir: string, format: ObjectFormat, commit: NewCommit): string {
  const who = `until-green <until-green@users.noreply.github.com> ${Math.floor(Date.parse(commit.at) / 1000)} +0000`;
  const head = [
    `tree ${writeTree(gitDir, format, commit.tree)}`,
    ...(commit.parent === undefined ? [] : [`parent ${commit.parent}`]),
    `author ${who}`,
    `committer ${who}`,
  ];
  return write({ gitDir, format }, "commit", Buffer.from(`${head.join("\n")}\n\n${commit.message}\n`));
}

/** Reads objects by any name git understands, in one process; `undefined` for each that is not there. */
export async function readObjects(
  gitDir: string,
  names: readonly string[],
): Promise<readonly (Buffer | undefined)[]> {
  if (names.length === 0) return [];
  const stdin = names.map((name) => `${name}\n`).join("");
  const { out } = await git({ cwd: gitDir, args: ["cat-file", "--batch"], stdin });
  const bytes = Buffer.from(out, "latin1");
  let at = 0;
  return names.map(() => {
    const end = bytes.indexOf(0x0a, at);
    const size = /^\S+ \S+ (\d+)$/.exec(bytes.toString("latin1", at, end))?.[1];
    at = end + 1;
    if (size === undefined) return undefined;
    const body = bytes.subarray(at, at + Number(size));
    at += Number(size) + 1;
    return body;
  });
}

interface Place {
  readonly gitDir: string;
  readonly format: ObjectFormat;
}

/** Writes a tree with all in it; answers its name. */
export function writeTree(gitDir: string, format: ObjectFormat, tree: Tree): string {
  const place = { gitDir, format };
  const idOf = (item: Tree[string]) => {
    if (Buffer.isBuffer(item)) return write(place, "blob", item);
    return typeof item === "string" ? item : writeTree(gitDir, format, item);
  };
  const entries = Object.entries(tree).map(([name, item]) => ({
    name,
    isTree: !Buffer.isBuffer(item),
    id: idOf(item),
  }));
  // git sorts by bytes, a folder as if its name ended with a slash
  const key = ({ name, isTree }: { name: string; isTree: boolean }) =>
    Buffer.from(isTree ? `${name}/` : name);
  const sorted = entries.toSorted((a, b) => Buffer.compare(key(a), key(b)));
  const body = sorted.map(({ name, isTree, id }) =>
    Buffer.concat([Buffer.from(`${isTree ? "40000" : "100644"} ${name}\0`), Buffer.from(id, "hex")]),
  );
  return write(place, "tree", Buffer.concat(body));
}

function write({ gitDir, format }: Place, type: "blob" | "tree" | "commit", body: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
  const id = createHash(format).update(whole).digest("hex");
  const folder = join(gitDir, "objects", id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (existsSync(path)) return id;
  mkdirSync(folder, { recursive: true });
  // Whole or not there: a kill leaves at most a file that git passes over.
  const part = join(folder, `tmp_obj_${randomBytes(6).toString("hex")}`);
  writeFileSync(part, deflateSync(whole, { level: 1 }), { mode: 0o444 });
  renameSync(part, path);
  return id;
}
