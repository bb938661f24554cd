import { statusOf } from "./api.ts";
import type { GitHub } from "./client.ts";

/** What a check run shows. */
export interface CheckShown {
  readonly status: "in_progress" | "completed";
  /** Only of a completed one. */
  readonly conclusion?: "success" | "failure" | "neutral" | "cancelled" | "skipped" | "action_required";
  readonly title: string;
  /** Markdown, at most 65,535 characters. */
  readonly summary: string;
  /** At most 3. */
  readonly actions: readonly CheckAction[];
  /** At most 50. */
  readonly annotations?: readonly CheckAnnotation[];
  /** Where its "Details" lead; GitHub's own page of the check unless told. */
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
  /** The commit it stands on. */
  readonly head: string;
  readonly name: string;
  /** Ours: the id of the run. */
  readonly externalId: string;
}

/**
 * Shows a run's check on a commit: the one that is there, or a new one. Answers its id. Only the app that made a check
 * may change it, and hears of its buttons, so one that is another's is left alone.
 */
export async function keepCheck(github: GitHub, place: CheckPlace, shown: CheckShown): Promise<number> {
  for (const found of await findChecks(github, place)) {
    try {
      return await updateCheck(github, found, shown);
    } catch (error) {
      if (statusOf(error) !== 403) throw error;
    }
  }
  const { data } = await github.request("POST /repos/{owner}/{repo}/check-runs", {
    ...github.at,
    name: place.name,
    head_sha: place.head,
    external_id: place.externalId,
    ...fields(shown),
  });
  return Number(data.id);
}

/** Changes what a check run shows and answers its id. */
export async function updateCheck(github: GitHub, id: number, shown: CheckShown): Promise<number> {
  await github.request("PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", {
    ...github.at,
    check_run_id: id,
    ...fields(shown),
  });
  return id;
}

/** The newest first. */
async function findChecks(
  github: GitHub,
  { head, name, externalId }: CheckPlace,
): Promise<readonly number[]> {
  const { data } = await github.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", {
    ...github.at,
    ref: head,
    check_name: name,
    filter: "all",
    per_page: 100,
  });
  const found = data.check_runs.filter(({ external_id }) => external_id === externalId);
  return found.map(({ id }) => Number(id)).toSorted((a, b) => b - a);
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
