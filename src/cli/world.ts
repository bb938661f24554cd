import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { secretValues } from "../adapters/environment.ts";
import { openHands } from "../adapters/hands.ts";
import { openStore } from "../adapters/stores/index.ts";
import { findRepository, whyNoRepository } from "../adapters/workspace.ts";
import type { ToldEvent } from "../engine/told.ts";
import type { LogStore } from "../ports/store.ts";
import type { World } from "../runner/world.ts";
import { UsageError } from "./exit.ts";

/** Where a command works. */
export interface Place {
  readonly cwd: string;
  readonly gitDir: string | undefined;
  readonly store: LogStore;
}

/** Finds the checkout and opens the store a command works with. */
export async function findPlace({
  cwd: given = ".",
  store: spec,
}: {
  readonly cwd?: string;
  readonly store?: string;
}): Promise<Place> {
  const cwd = resolve(given);
  const repository = await findRepository(cwd);
  const gitDir = repository?.gitDir;
  if (gitDir === undefined && spec === undefined) {
    throw new UsageError(`${await whyNoRepository(cwd)}, or give --store dir:PATH to keep the run there`);
  }
  const directory = join(gitDir ?? cwd, "until-green", "runs");
  return { cwd, gitDir, store: openStore(spec, { cwd, directory }) };
}

interface Ears {
  tell(event: ToldEvent): void;
  recall?(events: readonly ToldEvent[]): void;
  onText?(path: string, text: string): void;
}

/** Everything a run in this terminal works with. */
export function localWorld({ cwd, gitDir, store }: Place, ears: Ears): World {
  const privateDir = (runId: string) => join(gitDir ?? cwd, "until-green", "runs", runId, "workspace");
  return {
    ...openHands({
      cwd,
      environment: process.env,
      privateDir: gitDir === undefined ? undefined : privateDir,
      noAgent:
        "no agent was named: give --agent command:CMD or --agent scripted:FILE, or write `agent:` into the workflow",
    }),
    store,
    secrets: secretValues(process.env),
    owner: `process ${process.pid} on ${hostname()} (${randomBytes(4).toString("hex")})`,
    ...ears,
  };
}
