import { randomBytes } from "node:crypto";
import { itemOf, itemRun } from "../ports/item.ts";
import { BadStoreNameError } from "../ports/store.ts";

/** Valid run ids; they also name folders and git refs. */
export const isRunId = (text: string) => /^[a-z0-9][a-z0-9-]{5,63}$/.test(text);

/** Throws for any other text, before it becomes part of a path. */
export function assertRunId(text: string): void {
  if (isRunId(text)) return;
  throw new BadStoreNameError(
    `${JSON.stringify(text.slice(0, 80))} is not a run id: 6 to 64 of a-z, 0-9 and "-", starting with a letter or a digit`,
  );
}

/** The ref path of a run after the common prefix of all runs; an item's path is below that of its run. */
export function placeOf(runId: string): string {
  const item = itemOf(runId);
  return item === undefined ? runId : `${item.of}/items/${item.number}`;
}

/** The run that a ref belongs to, from its name after the prefix; `undefined` for another kind of ref. */
export function runAt(name: string, what = "state"): string | undefined {
  const [, run = "", number, kind] = /^([^/]+)(?:\/items\/([1-9]\d{0,3}))?\/([a-z]+)$/.exec(name) ?? [];
  const id = number === undefined ? run : itemRun({ of: run, number: Number(number) });
  return kind === what && isRunId(id) && `${placeOf(id)}/${what}` === name ? id : undefined;
}

/** A new run id: the workflow's name and random digits. */
export const newRunId = (name: string): string => `${slugOf(name)}-${randomBytes(4).toString("hex")}`;

/** The name of a workflow as the start of a run id: reduced to plain characters, at most 40. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return slug || "run";
}
