import { itemOf } from "../ports/item.ts";
import { shortRunId } from "../ports/short-run-id.ts";
import type { RepositoryContext } from "./repository-context.ts";

/** True if the first word of a command is the id of this run, or the end of it. */
export const namesItself = (id: string | undefined, run: string): boolean =>
  id === run || id === shortRunId(run);

/** True if the first word of a command is the id of another run, so that the command is not for this one. */
export async function namesAnother(
  site: RepositoryContext,
  id: string | undefined,
  run: string,
): Promise<boolean> {
  if (id === undefined || id === run) return false;
  // Somebody may have chosen an id with the same end.
  if (id === shortRunId(run))
    return (await site.runs.list()).some((other) => other !== run && shortRunId(other) === id);
  return hasFormOfId(id) || itemOf(run)?.of === id || (await site.look(id)).tip !== undefined;
}

/** How our ids end: random characters, the comment that started the run, or an item's number. */
export const hasFormOfId = (id: string) =>
  /-([0-9a-f]{8}|c(?=[a-z]*[0-9])[0-9a-z]{6,}|item-[0-9]+)$/.test(id) || shortRunId(`-${id}`) === id;
