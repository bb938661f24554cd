import { context } from "@actions/github";
import {
  apiOf,
  type Config,
  openRepositoryContext,
  type RecordedDecision,
  type RepositoryContext,
  verifyDecision,
} from "../../src/api/github.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { readJobEvent } from "../job/job-event.ts";
import { openJobClient } from "./client.ts";

/** Why a recorded decision is not genuine, checked with this job's token; without one, nothing is checked. */
export function doubtsOf(
  inputs: Inputs,
  job: Job,
): ((recorded: RecordedDecision) => Promise<string | undefined>) | undefined {
  const site = siteOf(inputs, job);
  return site && ((recorded) => verifyDecision(site, recorded));
}

type Hooks = Pick<Parameters<typeof openRepositoryContext>[0], "count" | "wake" | "isRerun" | "showEnd">;

/** The context of this job's repository with its token; `undefined` without one. */
export function siteOf(inputs: Inputs, job: Job, hooks: Hooks = {}): RepositoryContext | undefined {
  const { env } = job;
  const token = inputs["github-token"] ?? (env["GITHUB_TOKEN"] || undefined);
  const repository = env["GITHUB_REPOSITORY"];
  if (token === undefined || !repository) return undefined;
  const github = openJobClient({ token });
  const site = openRepositoryContext({
    api: apiOf(github),
    ...github.at,
    defaultBranch: readJobEvent(job).repository?.default_branch ?? "main",
    server: context.serverUrl,
    login: github.login,
    key: inputs["state-key"] ?? (env["UNTIL_GREEN_STATE_KEY"] || undefined),
    ...hooks,
  });
  return { ...site, config: async () => withInputs(await site.config(), inputs) };
}

/** The workflow file's permissions apply in addition to those of the repository's own file. */
function withInputs(config: Config, inputs: Inputs): Config {
  const {
    "allow-users": users = [],
    "allow-bot-users": bots = [],
    "required-permission": permission,
    "retention-days": days,
  } = inputs;
  return {
    ...config,
    ...(permission === undefined ? {} : { "required-permission": permission }),
    ...(days === undefined ? {} : { "retention-days": days }),
    "allow-users": [...config["allow-users"], ...users],
    "allow-bot-users": [...config["allow-bot-users"], ...bots],
  };
}

export { verifyStartMessage } from "../../src/api/github.ts";
