import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve, sep } from "node:path";
import { inMarkdown } from "../../src/api/github.ts";
import {
  type Environment,
  type IssueFacts,
  likelySecrets,
  type RunEnvironment,
  type RunSettings,
  type RunStatus,
  redactSecrets,
  redactTokens,
  type SeriesFacts,
  type Summary,
  secretForms,
  secretValues,
  shortestSecret,
} from "../../src/api/runs.ts";
import type { Plan } from "../../src/api/workflows.ts";
import type { GitHubApi } from "./github-api.ts";
import type { GitHubContext } from "./github-context.ts";
import { loadEvent } from "./job-event.ts";
import { openRunnerLog, type RunnerLog } from "./workflow-commands.ts";

/** The job this process is a step of. */
export interface Job {
  readonly env: Environment;
  /** The event that triggered it. Read first, because a program could change the file. */
  readonly event: unknown;
  readonly log: RunnerLog;
  /** The checkout of the repository; an absolute path. */
  readonly workspace: string;
  /** The folder for this action's files during the job. */
  readonly folder: string;
  /** Every secret known to this job, in all its encodings. */
  readonly secrets: readonly string[];
  /** The GitHub side of the run, after the preflight. */
  readonly hosting?: JobServices;
  /** Requests that replace the usual ones on this host. */
  readonly host?: GitHubApi;
  /** Removes the job's known secrets from a text. */
  withoutSecrets(text: string): string;
  /**
   * The real path of a file in the checkout, or in the job's temporary folder; throws `RefusedError` for other paths.
   */
  within(path: string, from?: string): string;
}

/** The services that GitHub provides for a run. */
export interface JobServices {
  /** The GitHub context and pull request; `undefined` outside GitHub. */
  readonly site: GitHubContext | undefined;
  /** The issue that a new run works on; `undefined` if there is none. */
  issue?(workflow: string): Promise<IssueFacts | undefined>;
  /** The same environment, publishing the run's status while it runs. */
  watch(environment: RunEnvironment): RunEnvironment;
  /** Prepares the goal of a run before it starts; `undefined` if it has none. */
  openGoal?(starting: Starting): Promise<GoalStart | undefined>;
  /** Claims the goal for a resumed run; returns the reason, as a sentence, if another run works on it. */
  claimAgain?(resumed: Pick<Starting, "run" | "statusOf">): Promise<string | undefined>;
  /** The forecast of the workflow's next run, as a sentence; `undefined` if too little is known. */
  forecast?(workflow: string): Promise<string | undefined>;
}

/** A run that is about to start. */
export interface Starting {
  readonly run: string;
  readonly plan: Plan;
  /** Whether a person requests it. */
  readonly isAsked: boolean;
  /** The recorded status of another run. */
  statusOf(run: string): Promise<RunStatus | undefined>;
  /** Cancels another run that waits for a person; `undefined` if somebody has answered it meanwhile. */
  giveUp(unanswered: Unanswered): Promise<GivenUp | undefined>;
}

export interface Unanswered {
  readonly run: string;
  /** The reason for the cancellation. */
  readonly because: string;
  /** The pull request of its goal. */
  readonly pull: number | undefined;
}

/** A run that was cancelled because nobody answered it in time. */
export interface GivenUp {
  readonly summary: Summary;
  readonly facts: RunSettings;
}

/** What the goal requires of a run that is about to start. All runs that publish to one branch share a goal. */
export type GoalStart =
  | {
      /** Why no run starts, as a sentence. */
      readonly rests: string;
      readonly published: PublishedWork | undefined;
    }
  /** The paused run to resume instead. */
  | { readonly resumes: string }
  | {
      readonly series: SeriesFacts;
      /** The remaining budgets across runs; `undefined` if there are none. */
      readonly usd: number | undefined;
      readonly tokens: number | undefined;
      /** The expected cost of the run, as a sentence; `undefined` if too little is known. */
      readonly forecast: string | undefined;
    };

/** Where work was published. */
export interface PublishedWork {
  readonly branch: string;
  readonly commit: string;
  readonly pull: { readonly number: number; readonly url: string } | undefined;
}

/** The request cannot be carried out. Each message explains the fix. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly sentences: readonly string[];

  constructor(...sentences: readonly string[]) {
    super(sentences.join("\n"));
    this.sentences = sentences;
  }
}

/** There is nothing to do, which is nobody's mistake; the message says why. */
export class NothingToDoError extends Error {
  override readonly name = "NothingToDoError";
}

/** Reads the job; from then on, the given secrets and those of its environment are masked. */
export function openJob(env: Environment, secretInputs: readonly string[]): Job {
  const log = openRunnerLog();
  const known = [...secretInputs, ...secretValues(env), ...likelySecrets(env)];
  const secrets = [...new Set(known.map((secret) => secret.trim()))];
  for (const secret of secrets) log.mask(secret);
  const workspace = realOr(resolve(env["GITHUB_WORKSPACE"] || "."));
  const temp = realOr(resolve(env["RUNNER_TEMP"] || tmpdir()));
  // A short text is more likely a word than a secret.
  const struck = secretForms(secrets.filter((secret) => secret.length >= shortestSecret));
  const shown = [...new Set([...struck.map(inMarkdown), ...struck])];
  return {
    env,
    event: loadEvent(env),
    log,
    secrets: struck,
    workspace,
    folder: join(temp, "until-green"),
    withoutSecrets: (text) => redactTokens(redactSecrets(text, shown)),
    within(path, from = workspace) {
      const real = realOr(resolve(from, path), missing(path));
      if ([workspace, temp].some((folder) => isIn(real, folder))) return real;
      throw new RefusedError(`${path} is outside the checkout: use a path inside it`);
    },
  };
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(folder + sep);

const missing = (path: string) =>
  new RefusedError(
    `${path} does not exist: check the path, and that the repository is checked out (actions/checkout)`,
  );

/** The path without symbolic links; if it does not exist, the path itself or, if given, throws the error. */
function realOr(path: string, otherwise?: Error): string {
  try {
    return realpathSync(path);
  } catch {
    if (otherwise !== undefined) throw otherwise;
    return path;
  }
}
