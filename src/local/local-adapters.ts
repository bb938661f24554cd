import { type AgentOptions, candidates, openAgent } from "../agents/index.ts";
import { probeAgents, selectAgent } from "../agents/select-agent.ts";
import type { Agent } from "../ports/agent.ts";
import type { IsolationMode } from "../ports/isolation.ts";
import { withLazyModules } from "../ports/lazy-module.ts";
import type { NetworkRule } from "../ports/network.ts";
import type { Environment } from "../processes/environment.ts";
import { openIsolation } from "../processes/isolation.ts";
import { sweepPrivateTempDirs } from "../processes/private-temp-dir.ts";
import { killRunOrphans } from "../processes/process-group.ts";
import { scriptRunner } from "../processes/script.ts";
import { bashShell } from "../processes/shell.ts";
import { readFileIn } from "../workspace/read-file.ts";
import { gitWorkspace } from "../workspace/workspace.ts";
import { cleanShell } from "./clean-shell.ts";
import { systemClock } from "./clock.ts";

export interface LocalAdapterOptions {
  /** The checkout; an absolute path. */
  readonly cwd: string;
  /** The variables that scripts see, without secrets. */
  readonly environment: Environment;
  /** API keys for agents; no other program gets them. */
  readonly keys?: Environment;
  /** Options for agent programs: version, additional arguments, installation folder. */
  readonly agents?: Pick<AgentOptions, "version" | "args" | "installed">;
  /** A folder for each run's snapshots. Without one (no git repository) there are no snapshots. */
  readonly privateDir: ((runId: string) => string) | undefined;
  /** Folders excluded from snapshots, relative to the checkout's top. */
  readonly leaveOut?: readonly string[];
  /** Keys and tokens that snapshots must not contain. */
  readonly secrets?: readonly string[];
  /** Isolation of agents, scripts and checks; default `auto`. */
  readonly isolation?: IsolationMode | undefined;
  /** The hosts that programs may reach; default: the workflow's rule. */
  readonly network?: NetworkRule | undefined;
  /** Further paths that isolated programs may read, or write. */
  readonly show?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  /** Tells people something that is no error. */
  readonly notice?: (text: string) => void;
  /** The error if a workflow names no agent and none is available here. */
  readonly noAgent: string;
}

/** The adapters for a run on this machine, in a job or a terminal. */
export function createLocalAdapters(options: LocalAdapterOptions) {
  const { cwd, environment, keys = {}, privateDir, leaveOut = [], secrets = [], noAgent } = options;
  const agents = new Map<string, Agent>();
  const seen = { ...environment, ...keys };
  const open = (name: string): Agent => {
    const agent = agents.get(name) ?? openAgent(name, { cwd, environment: seen, ...options.agents });
    agents.set(name, agent);
    return agent;
  };
  const choosing = { environment: seen, installed: options.agents?.installed, noAgent };
  const workspace = privateDir === undefined ? undefined : gitWorkspace({ privateDir, leaveOut, secrets });
  return {
    clock: systemClock,
    agent: (name: string | undefined): Promise<Agent> =>
      withLazyModules(() => open(name ?? selectAgent(candidates, choosing).name)),
    judge: (): Agent | undefined => {
      const apiProbe = probeAgents(candidates, seen).find(({ candidate }) => candidate.name === "api");
      return apiProbe?.usable ? open("api") : undefined;
    },
    shell: cleanShell({ cwd, environment, workspace, open: bashShell }),
    script: scriptRunner(environment),
    readFile: readFileIn,
    gitWorkspace: workspace,
    isolation: openIsolation({
      mode: options.isolation ?? "auto",
      network: options.network,
      environment,
      writable: [cwd],
      show: options.show,
      write: options.write,
      notice: options.notice,
    }),
    workspace: cwd,
    clearOrphans(artifacts: string) {
      killRunOrphans(artifacts);
      sweepPrivateTempDirs(artifacts);
    },
  };
}
