import { context, getOctokit } from "@actions/github";
import { type GitHub, type MakeOctokit, openGitHub } from "../../src/api/github.ts";
import { endSignal } from "../../src/api/runs.ts";

interface JobClient {
  readonly token: string;
  /** The longest one request may take, over all attempts, in milliseconds. */
  readonly patienceMs?: number;
}

/**
 * The repository of this job, asked with one of its tokens, through the proxy that its runner names. Nothing is waited
 * for once a cancelled job must end.
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

/** As the toolkit makes it, which knows `https_proxy` and `no_proxy`, with our rules and octokit's plugins. */
export const makeOctokit: MakeOctokit = ({ auth, ...options }, plugins) =>
  getOctokit(
    auth,
    options,
    ...(plugins as Parameters<typeof getOctokit>[2][]),
  ) as unknown as ReturnType<MakeOctokit>;
