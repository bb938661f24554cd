import { join } from "node:path";
import type { Environment } from "../environment.ts";
import type { Repository } from "../workspace.ts";
import type { GitRefOptions } from "./git/open-run.ts";

interface GitPlace {
  /** The checkout the runs work in; `undefined` where there is none. */
  readonly repository: Repository | undefined;
  /** A folder for each run's snapshots of the workspace. */
  privateDir(runId: string): string;
  readonly environment: Environment;
  readonly secrets: readonly string[];
  /** Wins over any key the checkout has. */
  readonly token?: string | undefined;
  /** Signs what is written, and proves what is read. */
  readonly stateKey?: string | undefined;
  notice(text: string): void;
}

/** What a store at a git host needs to know of the checkout its runs work in. */
export function gitPlace(place: GitPlace): Omit<GitRefOptions, "remote" | "cwd"> {
  const { repository, privateDir, environment, secrets, token, stateKey, notice } = place;
  return {
    ...(repository === undefined ? {} : { checkout: checkoutOf(repository) }),
    snapshots: (runId) => join(privateDir(runId), "snapshots.git"),
    environment,
    secrets,
    ...(token === undefined ? {} : { token }),
    ...(stateKey === undefined ? {} : { stateKey }),
    notice,
  };
}

const checkoutOf = ({ gitDir, commonDir, objectFormat }: Repository) => ({
  gitDir,
  objects: join(commonDir, "objects"),
  format: objectFormat === "sha256" ? ("sha256" as const) : ("sha1" as const),
});
