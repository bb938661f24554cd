import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { openAgent } from "../adapters/agents/index.ts";
import { systemClock } from "../adapters/clock.ts";
import { secretValues } from "../adapters/environment.ts";
import { reapRun } from "../adapters/process-group.ts";
import { scriptRunner } from "../adapters/script.ts";
import { bashShell } from "../adapters/shell.ts";
import { openStore } from "../adapters/stores/index.ts";
import { findRepository, gitWorkspace } from "../adapters/workspace.ts";
import type { ToldEvent } from "../engine/told.ts";
import { type Agent, AgentError } from "../ports/agent.ts";
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
    throw new UsageError(
      `${cwd} is not a git repository, so there is no place to keep the run: run \`git init\` there, or give --store dir:PATH`,
    );
  }
  const directory = join(gitDir ?? cwd, "until-green", "runs");
  return { cwd, gitDir, store: openStore(spec, { cwd, directory }) };
}

interface Ears {
  tell(event: ToldEvent): void;
  recall?(events: readonly ToldEvent[]): void;
  onText?(path: string, text: string): void;
}

/** Everything a run on this machine works with. */
export function localWorld({ cwd, gitDir, store }: Place, ears: Ears): World {
  const agents = new Map<string, Agent>();
  const privateDir = (runId: string) => join(gitDir ?? cwd, "until-green", "runs", runId, "workspace");
  return {
    store,
    clock: systemClock,
    agent(name) {
      if (name === undefined) {
        throw new AgentError(
          "missing",
          "no agent was named: give --agent command:CMD or --agent scripted:FILE, or write `agent:` into the workflow",
        );
      }
      const known = agents.get(name) ?? openAgent(name, { cwd });
      agents.set(name, known);
      return known;
    },
    shell: bashShell(process.env),
    script: scriptRunner(process.env),
    gitWorkspace: gitDir === undefined ? undefined : gitWorkspace({ privateDir }),
    workspace: cwd,
    secrets: secretValues(process.env),
    clearOrphans: reapRun,
    owner: `process ${process.pid} on ${hostname()} (${randomBytes(4).toString("hex")})`,
    ...ears,
  };
}
