import { readFileSync, statSync } from "node:fs";
import { attempt } from "../processes/lenient-reads.ts";
import type { Checkout } from "./checkout.ts";

/** A file, link or submodule in the index. */
export interface IndexEntry {
  /** Git's file mode, in octal. */
  readonly mode: string;
  readonly object: string;
}

/** The index entries of a folder, in git's order; names have one character per byte. */
export type IndexFolder = Map<string, IndexEntry | IndexFolder>;

export const isFolder = (item: IndexEntry | IndexFolder | undefined): item is IndexFolder =>
  item instanceof Map;

const read = new Map<string, { readonly stamp: string; readonly folder: IndexFolder | undefined }>();

/** The files in the private index, without starting git; `undefined` if it is large or only git can read it. */
export function readIndexFile({ index }: Pick<Checkout, "index">): IndexFolder | undefined {
  const stamp = stampOf(index);
  const last = read.get(index);
  if (last?.stamp === stamp) return last.folder;
  const body = attempt(() => readFileSync(index));
  const folder = body === undefined || body.length > mostBytes ? undefined : parseIndex(body);
  read.delete(index);
  read.set(index, { stamp, folder });
  for (const oldest of [...read.keys()].slice(0, -mostKept)) read.delete(oldest);
  return folder;
}

/** Identifies the index file and its last write. */
export function stampOf(index: string): string {
  // Git writes no index for a folder without files.
  const found = statSync(index, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
}

/** A large index takes several megabytes, and each fork has its own. */
const mostKept = 8;

/** About 40,000 files; above that, git is faster. */
const mostBytes = 4 * 1024 * 1024;

/**
 * Parses an index of version 2 or 3: https://git-scm.com/docs/index-format. `undefined` if it has conflicts,
 * intent-to-add entries, or extensions that a reader must understand, such as a split or sparse index.
 */
export function parseIndex(body: Buffer): IndexFolder | undefined {
  const [version, count] = body.length < 12 ? [0, 0] : [body.readUInt32BE(4), body.readUInt32BE(8)];
  if (body.toString("latin1", 0, 4) !== "DIRC" || (version !== 2 && version !== 3)) return undefined;
  for (const width of [20, 32]) {
    const top: IndexFolder = new Map();
    const end = readEntries(body, { count, width, top });
    if (end !== undefined && hasOptionalExtensions(body, end, width)) return top;
  }
  return undefined;
}

/** Returns the offset after the entries; `undefined` if ids of this width do not fit. */
function readEntries(
  body: Buffer,
  { count, width, top }: { readonly count: number; readonly width: number; readonly top: IndexFolder },
): number | undefined {
  const folders = new Map([["", top]]);
  let at = 12;
  for (let number = 0; number < count; number += 1) {
    const flagsAt = at + 40 + width;
    if (flagsAt + 4 > body.length) return undefined;
    const flags = body.readUInt16BE(flagsAt);
    const isExtended = (flags & 0x4000) !== 0;
    const isPlanned = isExtended && (body.readUInt16BE(flagsAt + 2) & 0x2000) !== 0;
    const pathAt = flagsAt + (isExtended ? 4 : 2);
    const end = body.indexOf(0, pathAt);
    const mode = modes.get(body.readUInt32BE(at + 24));
    if (end <= pathAt || (flags & 0x3000) !== 0 || isPlanned || mode === undefined) return undefined;
    const path = body.toString("latin1", pathAt, end);
    const slash = path.lastIndexOf("/");
    const folder = folderAt(folders, slash < 0 ? "" : path.slice(0, slash));
    folder.set(path.slice(slash + 1), { mode, object: body.toString("hex", at + 40, at + 40 + width) });
    // Each entry is padded with one to eight zero bytes to a multiple of eight.
    at += (end - at + 8) & ~7;
  }
  return at;
}

const modes = new Map(
  ["100644", "100755", "120000", "160000"].map((mode) => [Number.parseInt(mode, 8), mode]),
);

function folderAt(folders: Map<string, IndexFolder>, path: string): IndexFolder {
  const existing = folders.get(path);
  if (existing !== undefined) return existing;
  const slash = path.lastIndexOf("/");
  const folder: IndexFolder = new Map();
  folderAt(folders, slash < 0 ? "" : path.slice(0, slash)).set(path.slice(slash + 1), folder);
  folders.set(path, folder);
  return folder;
}

/** Whether everything between the entries and the checksum is optional and can be skipped. */
function hasOptionalExtensions(body: Buffer, from: number, width: number): boolean {
  let at = from;
  while (at + 8 <= body.length - width) {
    if (!/^[A-Z]/.test(body.toString("latin1", at, at + 4))) return false;
    at += 8 + body.readUInt32BE(at + 4);
  }
  return at === body.length - width;
}
