import { driveRun } from "./drive.ts";
import type { ExitCode } from "./exit.ts";
import type { CommonOptions } from "./options.ts";
import { findPlace } from "./world.ts";

/** `until-green resume`: goes on with a run from its log. */
export async function resumeCommand(
  runId: string,
  options: CommonOptions & { readonly maxMinutes?: number },
): Promise<ExitCode> {
  return await driveRun(await findPlace(options), options, { resume: runId });
}
