import { hostname } from "node:os";
import {
  createLocalAdapters,
  type Environment,
  type LocalAdapterOptions,
  type RunEnvironment,
  type RunEvent,
} from "../../src/api/runs.ts";
import type { Job } from "../job/job.ts";
import type { OpenedStore } from "./open-store.ts";

interface JobSetup {
  readonly cwd: string;
  readonly keeping: OpenedStore;
  /** API keys for agents; no other program gets them. */
  readonly keys: Environment;
  /** Options for agent programs. */
  readonly agents: LocalAdapterOptions["agents"];
  /** Texts that snapshots must not contain. */
  readonly leaveOut: readonly string[];
  readonly isolation: LocalAdapterOptions["isolation"];
  readonly network: LocalAdapterOptions["network"];
  readonly show: LocalAdapterOptions["show"];
  readonly write: LocalAdapterOptions["write"];
  readonly progress: Pick<RunEnvironment, "onLive" | "recall" | "statusOf"> & { emit(event: RunEvent): void };
}

/** Assembles the environment of a run in this job. */
export function openRunEnvironment(
  { env, log, secrets }: Job,
  { cwd, keeping, keys, progress: hearing, agents, leaveOut, isolation, network, show, write }: JobSetup,
): RunEnvironment & Required<Pick<RunEnvironment, "isolation">> {
  const { store, repository, privateDir } = keeping;
  return {
    ...createLocalAdapters({
      cwd,
      environment: env,
      keys,
      privateDir: repository === undefined ? undefined : privateDir,
      leaveOut,
      secrets,
      isolation,
      network,
      show,
      write,
      notice: (message: string) => log.say(message),
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
  "no agent was named: give the input `agent` (`claude`, `codex`, `gemini`, `copilot`, `opencode`, `qwen`, `pi`, `kimi`, `api`, `command:CMD` or `scripted:FILE`), or write `agent:` into the workflow";

function ownerOf(env: Environment): string {
  const { GITHUB_WORKFLOW: workflow, GITHUB_JOB: job, GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt } = env;
  return `job ${job ?? "?"} of ${workflow ?? "a workflow"}, run ${run ?? "?"} attempt ${attempt ?? "1"} (process ${process.pid} on ${hostname()})`;
}
