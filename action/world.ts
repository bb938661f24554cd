import { hostname } from "node:os";
import { join } from "node:path";
import {
  type Environment,
  findRepository,
  openHands,
  openStore,
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
  const privateDir = (runId: string) => join(runs, runId, "workspace");
  return {
    ...openHands({
      cwd,
      environment: env,
      keys,
      privateDir: repository === undefined ? undefined : privateDir,
      noAgent,
    }),
    store: openStore(undefined, { cwd, directory: runs }),
    owner: ownerOf(env),
    secrets,
    tell,
  };
}

const noAgent =
  "no agent was named: give the input `agent` (`claude`, `codex`, `api`, `command:CMD` or `scripted:FILE`), or write `agent:` into the workflow";

function ownerOf(env: Environment): string {
  const { GITHUB_WORKFLOW: workflow, GITHUB_JOB: job, GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt } = env;
  return `job ${job ?? "?"} of ${workflow ?? "a workflow"}, run ${run ?? "?"} attempt ${attempt ?? "1"} (process ${process.pid} on ${hostname()})`;
}
