import type { Agent } from "../ports/agent.ts";
import { choose, lookAround } from "./agents/choice.ts";
import { type AgentOptions, candidates, openAgent } from "./agents/index.ts";
import { systemClock } from "./clock.ts";
import type { Environment } from "./environment.ts";
import { reapRun } from "./process-group.ts";
import { scriptRunner } from "./script.ts";
import { bashShell } from "./shell.ts";
import { gitWorkspace } from "./workspace.ts";

export interface HandsOptions {
  /** The checkout; an absolute path. */
  readonly cwd: string;
  /** The variables scripts see, less what they must not have. */
  readonly environment: Environment;
  /** Keys that agents see, and nothing else that runs. */
  readonly keys?: Environment;
  /** What the user wants of agents that are programs: their version, further arguments, where they are installed. */
  readonly agents?: Pick<AgentOptions, "version" | "args" | "installed">;
  /** A folder for each run's snapshots; without one there are none, as there is no git repository. */
  readonly privateDir: ((runId: string) => string) | undefined;
  /** Folders whose changes no snapshot takes in, from the checkout's top. */
  readonly leaveOut?: readonly string[];
  /** Keys and tokens that no snapshot takes in. */
  readonly secrets?: readonly string[];
  /** What to say where a workflow leaves the choice of its agent open and none can work here. */
  readonly noAgent: string;
}

/** What a run on this machine works with, whether it was begun in a job or in a terminal. */
export function openHands(options: HandsOptions) {
  const { cwd, environment, keys = {}, privateDir, leaveOut = [], secrets = [], noAgent } = options;
  const agents = new Map<string, Agent>();
  const seen = { ...environment, ...keys };
  const open = (name: string): Agent => {
    const agent = agents.get(name) ?? openAgent(name, { cwd, environment: seen, ...options.agents });
    agents.set(name, agent);
    return agent;
  };
  return {
    clock: systemClock,
    agent: (name: string | undefined): Agent =>
      open(name ?? choose(candidates, { environment: seen, noAgent }).name),
    judge: (): Agent | undefined => {
      const sight = lookAround(candidates, seen).find(({ candidate }) => candidate.name === "api");
      return sight?.usable ? open("api") : undefined;
    },
    shell: bashShell(environment),
    script: scriptRunner(environment),
    gitWorkspace: privateDir === undefined ? undefined : gitWorkspace({ privateDir, leaveOut, secrets }),
    workspace: cwd,
    clearOrphans: reapRun,
  };
}
