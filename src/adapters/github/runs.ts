import { type GitHub, GitHubError } from "./client.ts";

/**
 * Whether a job's workflow run may still be at work: by what GitHub says of it, not by a clock. One that GitHub does not
 * know any more is not; one that was started again under another attempt number is not the one asked about.
 */
export async function isRunAlive(
  github: GitHub,
  { run, attempt }: { readonly run: number; readonly attempt: number },
): Promise<boolean> {
  try {
    const { data } = await github.request("GET /repos/{owner}/{repo}/actions/runs/{run_id}", {
      ...github.at,
      run_id: run,
    });
    return data.status !== "completed" && (data.run_attempt ?? attempt) === attempt;
  } catch (error) {
    if (error instanceof GitHubError && error.status === 404) return false;
    throw error;
  }
}

/** Whether any workflow runs on a commit, or anybody but this host's own jobs checks it. */
export async function isChecked(github: GitHub, commit: string): Promise<boolean> {
  const runs = await github.request("GET /repos/{owner}/{repo}/actions/runs", {
    ...github.at,
    head_sha: commit,
    per_page: 1,
  });
  if (runs.data.total_count > 0) return true;
  const suites = await github.request("GET /repos/{owner}/{repo}/commits/{ref}/check-suites", {
    ...github.at,
    ref: commit,
    per_page: 20,
  });
  return suites.data.check_suites.some(({ app }) => app?.slug !== "github-actions");
}
