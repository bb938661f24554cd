import { join } from "node:path";
import { bytes, onDisk, readable } from "../git/git.ts";
import { attempt } from "../processes/lenient-reads.ts";
import { readRegularFile } from "../processes/regular-file.ts";
import type { Checkout } from "./checkout.ts";
import { type IndexFolder, isFolder, readIndexFile } from "./index-file.ts";

/** False if no attributes, neither of the user nor of the checkout, can name a filter that we do not run. */
export function mayNameFilters(checkout: Checkout): boolean {
  const index = readIndexFile(checkout);
  if (index === undefined) return true;
  const own = ["attributes", "user-attributes"].map((name) => join(checkout.store, "info", name));
  const tracked = attributesIn(index, "").map((path) => onDisk(checkout.top, readable(path)).toString());
  return [...own, ...tracked].some((path) => {
    const text = attempt(() => readRegularFile(path)) ?? "";
    return /\bfilter\b/.test(text.replaceAll(harmless, ""));
  });
}

const harmless = /[-!]filter\b|\bfilter=lfs(?=\s|$)|^\s*#.*$/gm;

const attributesIn = (folder: IndexFolder, at: string): readonly string[] =>
  [...folder].flatMap(([name, item]) => {
    if (isFolder(item)) return attributesIn(item, `${at}${name}/`);
    return name === ".gitattributes" ? [`${at}${name}`] : [];
  });

/**
 * The paths among these that git passes through a filter which we do not run: any but Git LFS. With `index`, by the
 * attributes in that index, which an agent cannot change.
 */
export async function filteredAmong(
  checkout: Checkout,
  paths: readonly string[],
  index?: string,
): Promise<ReadonlySet<string>> {
  const stdin = paths.map((path) => `${bytes(path)}\0`).join("");
  const from = index === undefined ? {} : { env: { GIT_INDEX_FILE: index } };
  const args = ["check-attr", ...(index === undefined ? [] : ["--cached"]), "-z", "--stdin", "filter"];
  const { out } = await checkout.git(args, { stdin, ...from });
  const fields = out.split("\0");
  const isRun = (value: string) => ["unspecified", "unset", "set", "lfs"].includes(value);
  return new Set(paths.filter((_, at) => !isRun(fields[3 * at + 2] ?? "unset")));
}
