import { join } from "node:path";
import type { Environment } from "../processes/environment.ts";
import type { LocalRepository } from "../workspace/workspace.ts";
import type { GitRefOptions } from "./git/open-run.ts";

interface GitPlace {
  /** The checkout that the runs work in, if there is one. */
  readonly repository: LocalRepository | undefined;
  /** A folder for each run's workspace snapshots. */
  privateDir(runId: string): string;
  readonly environment: Environment;
  readonly secrets: readonly string[];
  /** Overrides any credentials of the checkout. */
  readonly token?: string | undefined;
  /** Signs new records, and verifies existing ones. */
  readonly stateKey?: string | undefined;
  /** Asks the host whether the repository had a path before it was renamed. */
  wasCalled?(path: string): Promise<boolean>;
  /** Aborts when this process is ending: nothing waits any longer then. */
  readonly stop?: AbortSignal;
  notice(text: string): void;
}

/** What a git store must know about the checkout its runs work in. */
export function gitStoreOptions(place: GitPlace): Omit<GitRefOptions, "remote" | "cwd"> {
  const { repository, privateDir, environment, secrets, token, stateKey, wasCalled, stop, notice } = place;
  return {
    ...(repository === undefined ? {} : { checkout: checkoutOf(repository) }),
    snapshots: (runId) => join(privateDir(runId), "snapshots.git"),
    environment,
    secrets,
    ...(token === undefined ? {} : { token }),
    ...(stateKey === undefined ? {} : { stateKey }),
    ...(wasCalled === undefined ? {} : { wasCalled }),
    ...(stop === undefined ? {} : { stop }),
    notice,
  };
}

const checkoutOf = ({ gitDir, commonDir, objectFormat }: LocalRepository) => ({
  gitDir,
  objects: join(commonDir, "objects"),
  format: objectFormat === "sha256" ? ("sha256" as const) : ("sha1" as const),
});
