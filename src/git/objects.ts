import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { author, git } from "./git.ts";

export type ObjectFormat = "sha1" | "sha256";

/** An entry of a tree: a blob's bytes, another tree, or the id of an existing tree. */
export interface Tree {
  readonly [name: string]: Buffer | Tree | string;
}

export interface NewCommit {
  /** Its files, or the id of a tree that exists. */
  readonly tree: Tree | string;
  readonly parents: readonly string[];
  /** ISO 8601; now unless given. */
  readonly at?: string;
  readonly message: string;
  /** Like `Ann <ann@example.com>`; until-green by default, which always is the committer. */
  readonly author?: string | undefined;
}

/** Writes a commit with its trees and blobs as loose objects, without starting git; returns its id. */
export function writeCommit(gitDir: string, format: ObjectFormat, commit: NewCommit): string {
  const at = commit.at === undefined ? Date.now() : Date.parse(commit.at);
  const time = `${Math.floor(at / 1000)} +0000`;
  const us = `${author.NAME} <${author.EMAIL}>`;
  const { tree } = commit;
  const head = [
    `tree ${typeof tree === "string" ? tree : writeTree(gitDir, format, tree)}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${commit.author ?? us} ${time}`,
    `committer ${us} ${time}`,
  ];
  const message = commit.message.replace(/\n$/, "");
  return write({ gitDir, format }, "commit", Buffer.from(`${head.join("\n")}\n\n${message}\n`));
}

/** The format of a repository, from the id of any of its objects. */
export const formatOf = (id: string): ObjectFormat => (id.length === 64 ? "sha256" : "sha1");

/** Reads objects by any name git understands, in one process; `undefined` for each that does not exist. */
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

interface ObjectDatabase {
  readonly gitDir: string;
  readonly format: ObjectFormat;
}

/** Writes a tree with everything in it; returns its id. */
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

function write({ gitDir, format }: ObjectDatabase, type: "blob" | "tree" | "commit", body: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
  const id = createHash(format).update(whole).digest("hex");
  const folder = join(gitDir, "objects", id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (existsSync(path)) return id;
  mkdirSync(folder, { recursive: true });
  // Written whole or not at all: a kill leaves at most a file that git ignores.
  const part = join(folder, `tmp_obj_${randomBytes(6).toString("hex")}`);
  writeFileSync(part, deflateSync(whole, { level: 1 }), { mode: 0o444 });
  renameSync(part, path);
  return id;
}
