import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { attempt } from "../processes/lenient-reads.ts";
import { readRegularBytes } from "../processes/regular-file.ts";

/** A small file's bytes from the first of these object folders that has it as a loose object; `undefined` if none does. */
export function readLooseBlob(objectFolders: readonly string[], id: string): Buffer | undefined {
  for (const folder of objectFolders) {
    const packed = readRegularBytes(join(folder, id.slice(0, 2), id.slice(2)));
    const object = packed && attempt(() => inflateSync(packed, { maxOutputLength: mostBytes }));
    const end = object?.indexOf(0) ?? -1;
    if (object === undefined || end < 0) continue;
    const body = object.subarray(end + 1);
    if (object.toString("latin1", 0, end) === `blob ${body.length}`) return body;
  }
  return undefined;
}

/** Git reads larger ones faster. */
const mostBytes = 1024 * 1024;
