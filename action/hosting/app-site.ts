import type { Config } from "../../app/config.ts";
import { doubtOf } from "../../app/proof.ts";
import { openSite, type Site } from "../../app/site.ts";
import { openGitHub } from "../../src/index.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Said } from "../job/host.ts";
import type { Job } from "../job/job.ts";
import { readJobEvent } from "../job/job-event.ts";

/** Why something on record does not stand, asked with this job's token; without one nothing is asked. */
export function doubtsOf(
  inputs: Inputs,
  job: Job,
): ((said: Said) => Promise<string | undefined>) | undefined {
  const site = siteOf(inputs, job);
  return site && ((said) => doubtOf(site, said));
}

type Hooks = Pick<Parameters<typeof openSite>[0], "count" | "wake">;

/** The repository of this job, asked with its token; `undefined` without one. */
export function siteOf(inputs: Inputs, job: Job, hooks: Hooks = {}): Site | undefined {
  const { env } = job;
  const token = inputs["github-token"] ?? (env["GITHUB_TOKEN"] || undefined);
  const repository = env["GITHUB_REPOSITORY"];
  if (token === undefined || !repository) return undefined;
  const github = openGitHub({ token, repository, apiUrl: env["GITHUB_API_URL"] });
  const site = openSite({
    api: { request: github.request as never },
    ...github.at,
    defaultBranch: readJobEvent(job).repository?.default_branch ?? "main",
    server: env["GITHUB_SERVER_URL"] || "https://github.com",
    login: github.login,
    key: inputs["state-key"] ?? (env["UNTIL_GREEN_STATE_KEY"] || undefined),
    ...hooks,
  });
  return { ...site, config: async () => withInputs(await site.config(), inputs) };
}

/** What the workflow file says of who may holds besides what the repository's own file says. */
function withInputs(config: Config, inputs: Inputs): Config {
  const {
    "allow-users": users = [],
    "allow-bot-users": bots = [],
    "required-permission": permission,
  } = inputs;
  return {
    ...config,
    ...(permission === undefined ? {} : { "required-permission": permission }),
    "allow-users": [...config["allow-users"], ...users],
    "allow-bot-users": [...config["allow-bot-users"], ...bots],
  };
}
