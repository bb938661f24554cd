import { hostname } from "node:os";
import { type Environment, openHands, type ToldEvent, type World } from "../src/index.ts";
import type { Job } from "./job.ts";
import type { Keeping } from "./keeping.ts";

interface Place {
  readonly cwd: string;
  readonly keeping: Keeping;
  /** Keys that agents see, and nothing else that runs. */
  readonly keys: Environment;
  readonly hearing: Pick<World, "recall" | "standing"> & { tell(event: ToldEvent): void };
}

/** Everything a run in this job works with. */
export function openWorld({ env, log, secrets }: Job, { cwd, keeping, keys, hearing }: Place): World {
  const { store, repository, privateDir } = keeping;
  return {
    ...openHands({
      cwd,
      environment: env,
      keys,
      privateDir: repository === undefined ? undefined : privateDir,
      // A job's token may not push them, and would push nothing else then.
      leaveOut: keeping.lasts ? [".github/workflows"] : [],
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
  "no agent was named: give the input `agent` (`claude`, `codex`, `api`, `command:CMD` or `scripted:FILE`), or write `agent:` into the workflow";

function ownerOf(env: Environment): string {
  const { GITHUB_WORKFLOW: workflow, GITHUB_JOB: job, GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt } = env;
  return `job ${job ?? "?"} of ${workflow ?? "a workflow"}, run ${run ?? "?"} attempt ${attempt ?? "1"} (process ${process.pid} on ${hostname()})`;
}
