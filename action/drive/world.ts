import { hostname } from "node:os";
import {
  type Environment,
  type HandsOptions,
  openHands,
  type ToldEvent,
  type World,
} from "../../src/index.ts";
import type { Job } from "../job/job.ts";
import type { Keeping } from "./keeping.ts";

interface Place {
  readonly cwd: string;
  readonly keeping: Keeping;
  /** Keys that agents see, and nothing else that runs. */
  readonly keys: Environment;
  /** What the user wants of agents that are programs. */
  readonly agents: HandsOptions["agents"];
  /** What no snapshot takes in. */
  readonly leaveOut: readonly string[];
  readonly hearing: Pick<World, "recall" | "standing"> & { tell(event: ToldEvent): void };
}

/** Everything a run in this job works with. */
export function openWorld(
  { env, log, secrets }: Job,
  { cwd, keeping, keys, hearing, agents, leaveOut }: Place,
): World {
  const { store, repository, privateDir } = keeping;
  return {
    ...openHands({
      cwd,
      environment: env,
      keys,
      privateDir: repository === undefined ? undefined : privateDir,
      leaveOut,
      secrets,
      ...(agents === undefined ? {} : { agents }),
      noAgent,
    }),
    store,
    owner: ownerOf(env),
    secrets,
    notice: (message) => log.say(message),
    ...hearing,
  };
}

const noAgent =
  "no agent was named: give the input `agent` (`claude`, `codex`, `gemini`, `copilot`, `opencode`, `api`, `command:CMD` or `scripted:FILE`), or write `agent:` into the workflow";

function ownerOf(env: Environment): string {
  const { GITHUB_WORKFLOW: workflow, GITHUB_JOB: job, GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt } = env;
  return `job ${job ?? "?"} of ${workflow ?? "a workflow"}, run ${run ?? "?"} attempt ${attempt ?? "1"} (process ${process.pid} on ${hostname()})`;
}
