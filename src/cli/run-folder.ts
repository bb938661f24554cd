import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { parseLogEvent } from "../engine/log-events.ts";
import { UsageError } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { findLocation, notice, type StoreLocation } from "./run-environment.ts";

/** Commands and `protect` patterns are relative to the run's folder, which people in a subfolder may not expect. */
export function saySubfolder({ cwd, inside }: StoreLocation, { quiet }: CommonOptions): void {
  if (quiet || !inside?.folder) return;
  const up = relative(cwd, inside.top);
  notice(`running in the subfolder ${inside.folder}; to run at the top of the repository, add --cwd ${up}`);
}

/**
 * The checkout in which the run was started, and the folder in it, which its protected files are relative to. Linked
 * worktrees see each other's runs.
 */
export async function whereStarted(
  target: StoreLocation,
  runId: string,
  { quiet }: CommonOptions,
): Promise<StoreLocation> {
  if (target.inside === undefined) return target;
  const [line] = await target.store.read(runId);
  const event = line === undefined ? undefined : parseLogEvent(line);
  if (event?.type !== "run.started" || event.facts.folder === undefined) return target;
  const { folder, worktree } = event.facts;
  const location = await inWorktree(target, worktree, (where) => notice(`${runId} ${where}`));
  const { inside = target.inside } = location;
  if (folder === inside.folder) return location;
  const cwd = join(inside.top, folder);
  const isInside = cwd === inside.top || cwd.startsWith(inside.top + sep);
  if (!isInside || !existsSync(cwd))
    throw new UsageError(`${runId} was started in the folder ${folder}, which this checkout does not have`);
  const where = folder === "" ? "at the top of the repository" : `in the subfolder ${folder}`;
  if (!quiet) notice(`${runId} continues ${where}, where it was started`);
  return { ...location, cwd, inside: { ...inside, folder } };
}

/** The location in this worktree, or else the same one, if it is gone. */
async function inWorktree(
  location: StoreLocation,
  name: string | undefined,
  say: (where: string) => void,
): Promise<StoreLocation> {
  const { worktree } = location;
  if (worktree === undefined || worktree.name === name) return location;
  const top = topOf(worktree.commonDir, name);
  if (top === undefined || !existsSync(top)) {
    say("was started in a worktree that is gone: it continues here, with the files that are here");
    return location;
  }
  say(`continues in the worktree ${top}, where it was started`);
  return await findLocation({ cwd: top });
}

/** The top folder of a worktree, as git records it; of the main checkout without a name. */
function topOf(commonDir: string, name: string | undefined): string | undefined {
  if (name === undefined) return basename(commonDir) === ".git" ? dirname(commonDir) : undefined;
  try {
    return dirname(readFileSync(join(commonDir, "worktrees", name, "gitdir"), "utf8").trim());
  } catch {
    return undefined;
  }
}
