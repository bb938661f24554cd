import { type GitHub, GitHubError } from "./client.ts";

/**
 * True if a job's workflow run may still be running, according to GitHub. An unknown run is not running; a re-run
 * with another attempt number is a different one. `undefined` if the token may not see runs: in a private repository
 * that needs `actions: read`.
 */
export async function isRunAlive(
  github: GitHub,
  { run, attempt }: { readonly run: number; readonly attempt: number },
): Promise<boolean | undefined> {
  try {
    const { data } = await github.request("GET /repos/{owner}/{repo}/actions/runs/{run_id}", {
      ...github.at,
      run_id: run,
    });
    return data.status !== "completed" && (data.run_attempt ?? attempt) === attempt;
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    if (error.status === 404) return false;
    if (error.status === 403 && /not accessible by/i.test(error.message)) return undefined;
    throw error;
  }
}

/** True if a workflow runs on a commit, or anyone but this host's own jobs checks it. */
export async function isChecked(github: GitHub, commit: string): Promise<boolean> {
  const runs = await github.request("GET /repos/{owner}/{repo}/actions/runs", {
    ...github.at,
    head_sha: commit,
    per_page: 100,
  });
  // A run that waits for approval is listed as completed, without jobs.
  if (runs.data.workflow_runs.some(({ conclusion }) => conclusion !== "action_required")) return true;
  const suites = await github.request("GET /repos/{owner}/{repo}/commits/{ref}/check-suites", {
    ...github.at,
    ref: commit,
    per_page: 20,
  });
  return suites.data.check_suites.some(({ app }) => app?.slug !== "github-actions");
}
