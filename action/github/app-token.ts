import { context } from "@actions/github";
import { App } from "@octokit/app";
import { z } from "zod";
import {
  type OctokitPlugin,
  orAborted,
  ownOctokit,
  repeatOptions,
  requestRules,
} from "../../src/api/github.ts";
import { endSignal, messageOf } from "../../src/api/runs.ts";
import { type Job, RefusedError } from "../job/job.ts";

interface AppKey {
  readonly id: string;
  /** The private key in PEM format. */
  readonly privateKey: string;
  /** How long to wait for GitHub, in milliseconds; default one minute. */
  readonly patienceMs?: number | undefined;
}

const installation = z.object({ id: z.number() });
const created = z.object({ token: z.string() });

/**
 * An installation token of a GitHub App for this repository, valid for an hour, and masked. Throws `RefusedError` if
 * GitHub refuses. https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app
 */
export async function mintAppToken(key: AppKey, job: Job): Promise<string> {
  const { owner, repo } = context.repo;
  try {
    const token = await orAborted(requestToken(key, Number(job.env["GITHUB_REPOSITORY_ID"])), endSignal);
    job.log.mask(token);
    return token;
  } catch (error) {
    const why = messageOf(error);
    throw new RefusedError(
      `the GitHub App ${key.id} did not provide a token for ${owner}/${repo} (${why}): check \`app-id\` and \`app-private-key\`, and that the app is installed on this repository`,
    );
  }
}

async function requestToken(
  { id: appId, privateKey, patienceMs = 60_000 }: AppKey,
  repository: number,
): Promise<string> {
  const { repo: at, apiUrl } = context;
  const rules = { timeoutMs: 15_000, patienceMs, secondMs: 1_000, signal: endSignal };
  const options = { baseUrl: apiUrl, userAgent: "until-green", ...repeatOptions(rules) };
  const Octokit = ownOctokit([requestRules(rules) as OctokitPlugin]).defaults(options);
  const app = new App({ appId, privateKey: privateKey.replaceAll("\\n", "\n"), Octokit });
  const response = await app.octokit.request("GET /repos/{owner}/{repo}/installation", at);
  const { data } = await app.octokit.request("POST /app/installations/{installation_id}/access_tokens", {
    installation_id: installation.parse(response.data).id,
    // GitHub redirects a former name of the repository everywhere but here.
    ...(repository > 0 ? { repository_ids: [repository] } : { repositories: [at.repo] }),
  });
  return created.parse(data).token;
}
