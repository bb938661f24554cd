import { namesRun, type RunCommand } from "../decisions/parse-comment.ts";
import { itemOf } from "../ports/item.ts";
import { shortRunId } from "../ports/short-run-id.ts";
import type { RepositoryContext } from "./repository-context.ts";

/** True if the first word of a command is the id of this run, or the end of it. */
export const namesItself = (id: string | undefined, run: string): boolean =>
  id === run || id === shortRunId(run);

/** True if the first word of a command is the id of another run, so that the command is not for this one. */
export async function namesAnother(
  site: RepositoryContext,
  command: Pick<RunCommand, "kind" | "word">,
  run: string,
): Promise<boolean> {
  const { word: id } = command;
  if (id === undefined || id === run) return false;
  // Somebody may have chosen an id with the same end.
  if (id === shortRunId(run))
    return (await site.runs.list()).some((other) => other !== run && shortRunId(other) === id);
  return namesRun(command) || itemOf(run)?.of === id || (await site.look(id)).tip !== undefined;
}
