import { statusOf } from "./api.ts";
import type { GitHub } from "./client.ts";

/** What a check run shows. */
export interface CheckShown {
  readonly status: "in_progress" | "completed";
  /** Only of a completed check. */
  readonly conclusion?: "success" | "failure" | "neutral" | "cancelled" | "skipped" | "action_required";
  readonly title: string;
  /** Markdown, at most 65,535 characters. */
  readonly summary: string;
  /** At most 3. */
  readonly actions: readonly CheckAction[];
  /** At most 50. */
  readonly annotations?: readonly CheckAnnotation[];
  /** Target of "Details"; by default GitHub's own page of the check. */
  readonly page?: string | undefined;
}

export interface CheckAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

export interface CheckAnnotation {
  readonly path: string;
  readonly line: number;
  readonly level: "notice" | "warning" | "failure";
  readonly title: string;
  readonly message: string;
}

export interface CheckPlace {
  /** The commit it belongs to. */
  readonly head: string;
  readonly name: string;
  /** Our external id: the id of the run. */
  readonly externalId: string;
}

/**
 * Shows a run's check on a commit: updates the existing one or creates it. Returns its id. Only the app that created
 * a check may change it and receives its buttons, so there is one, and it is theirs who were first: the newest check of
 * another app is left alone.
 */
export async function keepCheck(github: GitHub, target: CheckPlace, shown: CheckShown): Promise<number> {
  const [newest] = await findChecks(github, target);
  if (newest !== undefined) {
    try {
      return await updateCheck(github, newest, shown);
    } catch (error) {
      if (statusOf(error) !== 403) throw error;
      return newest;
    }
  }
  const { data } = await github.request("POST /repos/{owner}/{repo}/check-runs", {
    ...github.at,
    name: target.name,
    head_sha: target.head,
    external_id: target.externalId,
    ...fields(shown),
  });
  return Number(data.id);
}

/** Updates a check run and returns its id. */
export async function updateCheck(github: GitHub, id: number, shown: CheckShown): Promise<number> {
  await github.request("PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", {
    ...github.at,
    check_run_id: id,
    ...fields(shown),
  });
  return id;
}

/** The summaries of a run's checks, of whoever made them. */
export async function readCheckSummaries(github: GitHub, target: CheckPlace): Promise<readonly string[]> {
  return (await listChecks(github, target)).map(({ output }) => output.summary ?? "");
}

/** The newest first. */
async function findChecks(github: GitHub, target: CheckPlace): Promise<readonly number[]> {
  const found = await listChecks(github, target);
  return found.map(({ id }) => Number(id)).toSorted((a, b) => b - a);
}

async function listChecks(github: GitHub, { head, name, externalId }: CheckPlace) {
  const { data } = await github.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", {
    ...github.at,
    ref: head,
    check_name: name,
    filter: "all",
    per_page: 100,
  });
  return data.check_runs.filter(({ external_id }) => external_id === externalId);
}

function fields({ status, conclusion, title, summary, actions, annotations = [], page }: CheckShown) {
  return {
    status,
    ...(page === undefined ? {} : { details_url: page }),
    ...(conclusion === undefined ? {} : { conclusion }),
    output: { title, summary, annotations: annotations.map(annotation) },
    actions: actions.map((action) => ({ ...action })),
  };
}

const annotation = ({ path, line, level, title, message }: CheckAnnotation) => ({
  path,
  start_line: line,
  end_line: line,
  annotation_level: level,
  title,
  message,
});
