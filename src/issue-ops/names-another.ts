import { itemOf } from "../ports/item.ts";
import { hasFormOfRunId, shortRunId } from "../ports/short-run-id.ts";
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
  return hasFormOfRunId(id) || itemOf(run)?.of === id || (await site.look(id)).tip !== undefined;
}
