import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve, sep } from "node:path";
import {
  type Environment,
  inMarkdown,
  likelySecrets,
  secretForms,
  secretValues,
  shortestSecret,
  strike,
  type World,
} from "../../src/index.ts";
import type { Host } from "./host.ts";
import { loadEvent } from "./job-event.ts";
import { openRunnerLog, type RunnerLog } from "./runner-log.ts";
import type { Site } from "./site.ts";

/** The job this process is a step of. */
export interface Job {
  readonly env: Environment;
  /** What made it run, in its host's words. Read before anything else runs here, which could change the file. */
  readonly event: unknown;
  readonly log: RunnerLog;
  /** The checkout of the repository; an absolute path. */
  readonly workspace: string;
  /** Where this action keeps its files while the job lasts. */
  readonly folder: string;
  /** Every secret this job knows of, in all its forms. */
  readonly secrets: readonly string[];
  /** What is around the run on GitHub, once it has been looked at. */
  readonly hosting?: Surroundings;
  /** What a host is asked in another way than usual. */
  readonly host?: Host;
  /** A text without the secrets this job knows of. */
  withoutSecrets(text: string): string;
  /** The real path of something in the checkout, or in the job's temporary folder; throws `RefusedError`. */
  within(path: string, from?: string): string;
}

/** What a run has of GitHub while it goes on. */
export interface Surroundings {
  /** Where this job is, and the pull request it is about; `undefined` outside of GitHub. */
  readonly site: Site | undefined;
  /** The same world, with its run shown as it goes on. */
  watch(world: World): World;
}

/** What was asked cannot be done; each sentence says what to do about it. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly sentences: readonly string[];

  constructor(...sentences: readonly string[]) {
    super(sentences.join("\n"));
    this.sentences = sentences;
  }
}

/** Looks where this job is; the secrets given are masked from here on, and so are those of its environment. */
export function openJob(env: Environment, given: readonly string[]): Job {
  const log = openRunnerLog((text) => void process.stdout.write(text));
  const known = [...given, ...secretValues(env), ...likelySecrets(env)];
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
    withoutSecrets: (text) => strike(text, shown),
    within(path, from = workspace) {
      const real = realOr(resolve(from, path), missing(path));
      if ([workspace, temp].some((folder) => isIn(real, folder))) return real;
      throw new RefusedError(`${path} lies outside the checkout: name a path within it`);
    },
  };
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(folder + sep);

const missing = (path: string) =>
  new RefusedError(
    `${path} does not exist: is the repository checked out (actions/checkout), and the path right?`,
  );

/** The path without symbolic links; where there is nothing, the path as it is, or the error given. */
function realOr(path: string, otherwise?: Error): string {
  try {
    return realpathSync(path);
  } catch {
    if (otherwise !== undefined) throw otherwise;
    return path;
  }
}
