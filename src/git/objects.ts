import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { randomName } from "../processes/random-name.ts";
import { author, bytes, git } from "./git.ts";

export type ObjectFormat = "sha1" | "sha256";

/** An entry of a tree: a blob's bytes, another tree, or the id of an existing tree. */
export interface Tree {
  readonly [name: string]: Buffer | Tree | string;
}

export interface NewCommit {
  /** Its files, or the id of an existing tree. */
  readonly tree: Tree | string;
  readonly parents: readonly string[];
  /** ISO 8601; default: now. */
  readonly at?: string;
  readonly message: string;
  /** For example `Ann <ann@example.com>`; default: until-green. The committer is always until-green. */
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
  return writeObject({ gitDir, format }, "commit", Buffer.from(`${head.join("\n")}\n\n${message}\n`));
}

/** The format of a repository, from the id of any of its objects. */
export const formatOf = (id: string): ObjectFormat => (id.length === 64 ? "sha256" : "sha1");

/** Reads objects by any name git understands, in one git process; `undefined` for each that does not exist. */
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

export interface ObjectDatabase {
  readonly gitDir: string;
  readonly format: ObjectFormat;
}

type ObjectType = "blob" | "tree" | "commit";

/** Writes a tree with all its contents; returns its id. */
export function writeTree(gitDir: string, format: ObjectFormat, tree: Tree): string {
  const place = { gitDir, format };
  const objectOf = (item: Tree[string]) => {
    if (Buffer.isBuffer(item)) return writeObject(place, "blob", item);
    return typeof item === "string" ? item : writeTree(gitDir, format, item);
  };
  const entries = Object.entries(tree).map(([name, item]) => ({
    name: bytes(name),
    mode: Buffer.isBuffer(item) ? "100644" : folderMode,
    object: objectOf(item),
  }));
  // git sorts by bytes, and sorts a folder as if its name ended with a slash.
  const key = ({ name, mode }: TreeEntry) => Buffer.from(mode === folderMode ? `${name}/` : name, "latin1");
  const sorted = entries.toSorted((a, b) => Buffer.compare(key(a), key(b)));
  return writeObject(place, "tree", treeBody(sorted));
}

export interface TreeEntry {
  /** One character per byte. */
  readonly name: string;
  readonly mode: string;
  readonly object: string;
}

/** The mode of a folder in a tree. */
export const folderMode = "40000";

/** The modes of a symbolic link and of a submodule, and what git prints for a missing file. */
export const link = "120000";
export const submodule = "160000";
export const absent = "000000";

/** The content of a tree object; the entries must be in git's order. */
export const treeBody = (entries: readonly TreeEntry[]): Buffer =>
  Buffer.concat(
    entries.flatMap(({ name, mode, object }) => [
      Buffer.from(`${mode} ${name}\0`, "latin1"),
      Buffer.from(object, "hex"),
    ]),
  );

/** The id that git gives to an object. */
export const objectId = (format: ObjectFormat, type: ObjectType, body: Buffer): string =>
  createHash(format).update(headOf(type, body)).update(body).digest("hex");

const headOf = (type: ObjectType, body: Buffer) => Buffer.from(`${type} ${body.length}\0`);

/** Writes a loose object unless it exists; returns its id. */
export function writeObject({ gitDir, format }: ObjectDatabase, type: ObjectType, body: Buffer): string {
  const id = objectId(format, type, body);
  const folder = join(gitDir, "objects", id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (existsSync(path)) return id;
  mkdirSync(folder, { recursive: true });
  // Atomic: a kill leaves at most a temporary file that git ignores.
  const part = join(folder, `tmp_obj_${randomName()}`);
  writeFileSync(part, deflateSync(Buffer.concat([headOf(type, body), body]), { level: 1 }), { mode: 0o444 });
  renameSync(part, path);
  return id;
}
