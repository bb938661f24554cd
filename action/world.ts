import { hostname } from "node:os";
import { join } from "node:path";
import {
  type Agent,
  AgentError,
  bashShell,
  type Environment,
  findRepository,
  gitWorkspace,
  openAgent,
  openStore,
  reapRun,
  scriptRunner,
  systemClock,
  type ToldEvent,
  type World,
} from "../src/index.ts";
import type { Job } from "./job.ts";

interface Place {
  readonly cwd: string;
  /** Keys that agents see, and nothing else that runs. */
  readonly keys: Environment;
  tell(event: ToldEvent): void;
}

/** Everything a run in this job works with. */
export async function openWorld({ env, folder, secrets }: Job, { cwd, keys, tell }: Place): Promise<World> {
  const runs = join(folder, "runs");
  const repository = await findRepository(cwd);
  const agents = new Map<string, Agent>();
  return {
    store: openStore(undefined, { cwd, directory: runs }),
    clock: systemClock,
    agent(name) {
      if (name === undefined) throw new AgentError("missing", noAgent);
      const agent = agents.get(name) ?? openAgent(name, { cwd, environment: { ...env, ...keys } });
      agents.set(name, agent);
      return agent;
    },
    shell: bashShell(env),
    script: scriptRunner(env),
    gitWorkspace:
      repository === undefined
        ? undefined
        : gitWorkspace({ privateDir: (runId) => join(runs, runId, "workspace") }),
    workspace: cwd,
    owner: ownerOf(env),
    secrets,
    clearOrphans: reapRun,
    tell,
  };
}

const noAgent =
  "no agent was named: give the input `agent` (`command:CMD` or `scripted:FILE`), or write `agent:` into the workflow";

function ownerOf(env: Environment): string {
  const { GITHUB_WORKFLOW: workflow, GITHUB_JOB: job, GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt } = env;
  return `job ${job ?? "?"} of ${workflow ?? "a workflow"}, run ${run ?? "?"} attempt ${attempt ?? "1"} (process ${process.pid} on ${hostname()})`;
}
