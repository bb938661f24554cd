import { randomBytes } from "node:crypto";
import { BadStoreNameError } from "../../ports/store.ts";

/** What the name of a run may be; it also names folders and git refs. */
export const isRunId = (text: string) => /^[a-z0-9][a-z0-9-]{5,63}$/.test(text);

/** Refuses anything else, before it becomes part of a path. */
export function assertRunId(text: string): void {
  if (isRunId(text)) return;
  throw new BadStoreNameError(
    `${JSON.stringify(text.slice(0, 80))} is not a run id: 6 to 64 of a-z, 0-9 and "-", beginning with a letter or a digit`,
  );
}

/** An id for a new run of a workflow: its name, made short and plain, and chance. */
export function newRunId(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return `${slug || "run"}-${randomBytes(4).toString("hex")}`;
}
