import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { basename, join, resolve } from "node:path";
import type { RunEvent } from "../engine/run-events.ts";
import { createLocalAdapters, type LocalAdapterOptions } from "../local/local-adapters.ts";
import { endSignal } from "../local/stop-signal.ts";
import type { LiveEvent } from "../ports/live-event.ts";
import type { LogStore } from "../ports/store.ts";
import { cleanAfterKill } from "../processes/clean-after-kill.ts";
import type { RunEnvironment } from "../runner/run-environment.ts";
import { createRunProjection } from "../status/run-projection.ts";
import { gitStoreOptions } from "../stores/git-store-options.ts";
import { openStore } from "../stores/index.ts";
import { findRepository, whyNoRepository } from "../workspace/workspace.ts";
import { UsageError } from "./exit.ts";
import { ourKeys, ourSecrets } from "./model-keys.ts";
import { say } from "./print.ts";

/** The checkout and store of a command. */
/** One of a repository's checkouts. */
interface Worktree {
  /** git's folder that all of them share. */
  readonly commonDir: string;
  /** git's name of it; absent in the main checkout. */
  readonly name?: string;
}

export interface StoreLocation {
  readonly cwd: string;
  readonly gitDir: string | undefined;
  /** The top of the repository, if any, and the path of `cwd` in it: `""` or such as `packages/a`. */
  readonly inside?: { readonly top: string; readonly folder: string } | undefined;
  /** The worktree, if runs are kept in the repository, where all of its worktrees see them. */
  readonly worktree?: Worktree;
  readonly store: LogStore;
  /** The folder of a run's snapshots and forks. */
  privateDir(runId: string): string;
}

/** Finds the checkout and opens the store for a command. */
export async function findLocation({
  cwd: folder = ".",
  store: spec,
  forReading = false,
}: {
  readonly cwd?: string;
  readonly store?: string;
  /** For commands that only show runs. */
  readonly forReading?: boolean;
}): Promise<StoreLocation> {
  // Before any program starts, because git runs the user's hooks.
  const secrets = ourSecrets();
  const cwd = resolve(folder);
  const repository = await findRepository(cwd);
  const gitDir = repository?.gitDir;
  if (gitDir === undefined && spec === undefined) {
    throw new UsageError(`${await whyNoRepository(cwd)}, or give --store dir:PATH to keep the run there`);
  }
  if (gitDir !== undefined) await cleanAfterKill(gitDir, notice);
  // Linked worktrees share git's common folder, which outlives them.
  const directory = join(repository?.commonDir ?? cwd, "until-green", "runs");
  const privateDir = (runId: string) => join(directory, runId, "workspace");
  const git = gitStoreOptions({
    repository,
    privateDir,
    environment: process.env,
    secrets,
    stateKey: process.env["UNTIL_GREEN_STATE_KEY"] || undefined,
    stop: endSignal,
    notice,
  });
  const inside = repository && { top: repository.top, folder: repository.prefix.replace(/\/$/, "") };
  return {
    cwd,
    gitDir,
    inside,
    ...(repository === undefined || spec !== undefined ? {} : { worktree: worktreeOf(repository) }),
    privateDir,
    store: openStore(spec, { cwd, directory, git: { ...git, forReading } }),
  };
}

const worktreeOf = ({
  gitDir,
  commonDir,
}: {
  readonly gitDir: string;
  readonly commonDir: string;
}): Worktree => ({
  commonDir,
  ...(gitDir === commonDir ? {} : { name: basename(gitDir) }),
});

export const notice = (text: string) => say(`until-green: ${text}\n`);

interface RunObserver {
  emit(event: RunEvent): void;
  recall(events: readonly RunEvent[]): void;
  live(event: LiveEvent): void;
}

interface ProgramOptions extends Pick<LocalAdapterOptions, "isolation" | "network" | "show" | "write"> {
  readonly agentArgs?: readonly string[];
}

/** Assembles the environment of a run in this terminal. */
export function localEnvironment(
  { cwd, gitDir, privateDir, store }: StoreLocation,
  observer: RunObserver,
  { isolation, network, show, write, agentArgs: args }: ProgramOptions,
): RunEnvironment & Required<Pick<RunEnvironment, "isolation">> {
  const follower = createRunProjection();
  const secrets = ourSecrets();
  return {
    ...createLocalAdapters({
      cwd,
      environment: process.env,
      keys: ourKeys(),
      isolation,
      network,
      show,
      write,
      notice,
      ...(args === undefined ? {} : { agents: { args } }),
      privateDir: gitDir === undefined ? undefined : privateDir,
      // A short text is more likely a word than a secret.
      secrets: secrets.filter((secret) => secret.length >= 8),
      noAgent:
        "no agent was named: give --agent claude, codex, gemini, copilot, opencode, qwen, pi, kimi, api, command:CMD or scripted:FILE, or write `agent:` into the workflow",
    }),
    store,
    secrets,
    notice,
    owner: `process ${process.pid} on ${hostname()} (${randomBytes(4).toString("hex")})`,
    onLive: observer.live,
    statusOf: follower.statusOf,
    recall(events) {
      follower.recall(events);
      observer.recall(events);
    },
    emit(event) {
      follower.emit(event);
      observer.emit(event);
    },
  };
}
