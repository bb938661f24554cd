import { lstat, readFile, rm, writeFile } from "node:fs/promises";
import type { ConfigPart } from "../checks/tools/tool.ts";
import { bytes, onDisk } from "../git/git.ts";
import { absent } from "../git/objects.ts";
import { unlockBetween } from "../processes/remove-all.ts";
import type { Guard } from "./check-guard.ts";
import type { Checkout } from "./checkout.ts";
import type { Change } from "./known-index.ts";

interface ChangedParts {
  readonly changes: readonly Change[];
  readonly guard: Guard | undefined;
  /** Called before a file is changed. */
  save(): Promise<void>;
}

/** Restores the protected parts of changed files, and returns the files that had changed parts. */
export async function putPartsBack(
  checkout: Checkout,
  commit: string,
  { changes, guard, save }: ChangedParts,
): Promise<readonly string[]> {
  if (guard === undefined) return [];
  const restored: string[] = [];
  for (const change of changes) {
    const { path } = change;
    const parts = guard.isConfig(path) ? [] : guard.partsOf(path);
    const text = parts.length === 0 ? undefined : await textOf({ checkout, commit, change, parts });
    if (text === undefined) continue;
    await save();
    unlockBetween(checkout.top, bytes(path));
    await rm(onDisk(checkout.top, path), { recursive: true, force: true });
    await writeFile(onDisk(checkout.top, path), text, { flag: "wx" });
    restored.push(path);
  }
  return restored;
}

interface ChangedFile {
  readonly checkout: Checkout;
  readonly commit: string;
  readonly change: Change;
  readonly parts: readonly ConfigPart[];
}

/** The text to restore in a changed file; `undefined` if its protected parts are unchanged. */
async function textOf({ checkout, commit, change, parts }: ChangedFile): Promise<string | undefined> {
  const { path, before: mode } = change;
  // Loads a TOML parser, which few runs need.
  const { keepParts } = await import("../checks/keep-parts.ts");
  const now = await readNow(onDisk(checkout.top, path));
  if (mode === absent) {
    // A JSON manifest in a folder that had none belongs to a new package.
    const counted = parts.filter((part) => part.kind === "toml" || part.kind === "ini" || part.alsoNew);
    return keepParts(counted, { before: /\.jsonc?$/.test(path) ? "{}" : "", now: now ?? "" });
  }
  const before = await readOld(checkout, commit, path);
  if (now !== undefined) return keepParts(parts, { before, now });
  // A package may be removed, but not a file at the workspace's top, where the checks start.
  return path.slice(checkout.prefix.length).includes("/") ? undefined : before;
}

async function readOld(checkout: Checkout, commit: string, path: string): Promise<string> {
  const { out } = await checkout.git(["cat-file", "blob", `${commit}:${bytes(path)}`]);
  return Buffer.from(out, "latin1").toString("utf8");
}

/** The text of a regular file. Links are not read: they may lead anywhere. */
async function readNow(path: string | Buffer): Promise<string | undefined> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
