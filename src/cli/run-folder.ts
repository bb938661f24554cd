import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { parseLogEvent } from "../engine/log-events.ts";
import { UsageError } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { notice, type StoreLocation } from "./run-environment.ts";

/** Commands and `protect` patterns are relative to the run's folder, which people in a subfolder may not expect. */
export function saySubfolder({ cwd, inside }: StoreLocation, { quiet }: CommonOptions): void {
  if (quiet || !inside?.folder) return;
  const up = relative(cwd, inside.top);
  notice(`running in the subfolder ${inside.folder}; to run at the top of the repository, add --cwd ${up}`);
}

/** The same path relative to the folder that the run was started in, which its protected files are relative to. */
export async function whereStarted(
  location: StoreLocation,
  runId: string,
  { quiet }: CommonOptions,
): Promise<StoreLocation> {
  const { inside } = location;
  if (inside === undefined) return location;
  const [line] = await location.store.read(runId);
  const event = line === undefined ? undefined : parseLogEvent(line);
  const folder = event?.type === "run.started" ? event.facts.folder : undefined;
  if (folder === undefined || folder === inside.folder) return location;
  const cwd = join(inside.top, folder);
  const isInside = cwd === inside.top || cwd.startsWith(inside.top + sep);
  if (!isInside || !existsSync(cwd))
    throw new UsageError(`${runId} was started in the folder ${folder}, which this checkout does not have`);
  const where = folder === "" ? "at the top of the repository" : `in the subfolder ${folder}`;
  if (!quiet) notice(`${runId} continues ${where}, where it was started`);
  return { ...location, cwd, inside: { ...inside, folder } };
}
