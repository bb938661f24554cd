import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { openHands } from "../adapters/hands.ts";
import { gitPlace } from "../adapters/stores/git-place.ts";
import { openStore } from "../adapters/stores/index.ts";
import { findRepository, whyNoRepository } from "../adapters/workspace.ts";
import type { ToldEvent } from "../engine/told.ts";
import type { LogStore } from "../ports/store.ts";
import { followRun } from "../report/follow.ts";
import type { World } from "../runner/world.ts";
import { UsageError } from "./exit.ts";
import { ourKeys, ourSecrets } from "./keys.ts";
import { say } from "./print.ts";

/** Where a command works. */
export interface Place {
  readonly cwd: string;
  readonly gitDir: string | undefined;
  readonly store: LogStore;
  /** Where the workspace's snapshots and forks of a run are kept. */
  privateDir(runId: string): string;
}

/** Finds the checkout and opens the store a command works with. */
export async function findPlace({
  cwd: given = ".",
  store: spec,
}: {
  readonly cwd?: string;
  readonly store?: string;
}): Promise<Place> {
  // Before anything is started: git runs hooks of the user's.
  const secrets = ourSecrets();
  const cwd = resolve(given);
  const repository = await findRepository(cwd);
  const gitDir = repository?.gitDir;
  if (gitDir === undefined && spec === undefined) {
    throw new UsageError(`${await whyNoRepository(cwd)}, or give --store dir:PATH to keep the run there`);
  }
  const directory = join(gitDir ?? cwd, "until-green", "runs");
  const privateDir = (runId: string) => join(directory, runId, "workspace");
  const git = gitPlace({
    repository,
    privateDir,
    environment: process.env,
    secrets,
    stateKey: process.env["UNTIL_GREEN_STATE_KEY"] || undefined,
    notice,
  });
  return { cwd, gitDir, privateDir, store: openStore(spec, { cwd, directory, git }) };
}

const notice = (text: string) => say(`until-green: ${text}\n`);

interface Ears {
  tell(event: ToldEvent): void;
  recall(events: readonly ToldEvent[]): void;
  onText(path: string, text: string): void;
}

/** Everything a run in this terminal works with. */
export function localWorld({ cwd, gitDir, privateDir, store }: Place, ears: Ears): World {
  const follower = followRun();
  const secrets = ourSecrets();
  return {
    ...openHands({
      cwd,
      environment: process.env,
      keys: ourKeys(),
      privateDir: gitDir === undefined ? undefined : privateDir,
      // A short text is more likely a word than a secret.
      secrets: secrets.filter((secret) => secret.length >= 8),
      noAgent:
        "no agent was named: give --agent claude, codex, gemini, copilot, opencode, api, command:CMD or scripted:FILE, or write `agent:` into the workflow",
    }),
    store,
    secrets,
    notice,
    owner: `process ${process.pid} on ${hostname()} (${randomBytes(4).toString("hex")})`,
    onText: ears.onText,
    standing: follower.standing,
    recall(events) {
      follower.recall(events);
      ears.recall(events);
    },
    tell(event) {
      follower.tell(event);
      ears.tell(event);
    },
  };
}
