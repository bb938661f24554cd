import { context, getOctokit } from "@actions/github";
import { type GitHub, type MakeOctokit, openGitHub } from "../../src/api/github.ts";
import { endSignal } from "../../src/api/runs.ts";

interface JobClient {
  readonly token: string;
  /** Time limit of one request over all attempts, in milliseconds. */
  readonly patienceMs?: number;
}

/**
 * A client for this job's repository with one of its tokens, through the runner's proxy. Requests end when a
 * cancelled job must end.
 */
export function openJobClient({ token, patienceMs }: JobClient): GitHub {
  const { owner, repo } = context.repo;
  const { apiUrl } = context;
  return openGitHub({
    token,
    repository: `${owner}/${repo}`,
    apiUrl,
    makeOctokit,
    signal: endSignal,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
}

/** Created by the toolkit, which supports `https_proxy` and `no_proxy`, with our rules and Octokit's plugins. */
export const makeOctokit: MakeOctokit = ({ auth, ...options }, plugins) =>
  getOctokit(
    auth,
    options,
    ...(plugins as Parameters<typeof getOctokit>[2][]),
  ) as unknown as ReturnType<MakeOctokit>;
