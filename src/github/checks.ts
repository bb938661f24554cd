import { defined } from "../ports/defined.ts";
import { statusOf } from "./api.ts";
import type { GitHub } from "./client.ts";

/** The content of a check run. */
export interface CheckShown {
  readonly status: "in_progress" | "completed";
  /** Set only for a completed check. */
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
 * a check may change it and receives its buttons, so a newer check of another app is left alone. Older checks that
 * another process left unfinished are closed, in case two were created at once.
 */
export async function keepCheck(github: GitHub, target: CheckPlace, shown: CheckShown): Promise<number> {
  const [newest, ...older] = await findChecks(github, target);
  if (newest !== undefined) {
    await updateIfOurs(github, newest.id, shown);
    for (const { id, isOpen } of older) if (isOpen) await updateIfOurs(github, id, replaced);
    return newest.id;
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

/** Neutral: the old check must neither fail a commit nor stay pending. The newer check shows the result. */
const replaced: CheckShown = {
  status: "completed",
  conclusion: "neutral",
  title: "Replaced by a newer check",
  summary: "A newer check of this run on this commit shows the status.",
  actions: [],
};

async function updateIfOurs(github: GitHub, id: number, shown: CheckShown): Promise<void> {
  try {
    await updateCheck(github, id, shown);
  } catch (error) {
    if (statusOf(error) !== 403) throw error;
  }
}

/** The summaries of a run's checks, whoever created them. */
export async function readCheckSummaries(github: GitHub, target: CheckPlace): Promise<readonly string[]> {
  return (await listChecks(github, target)).map(({ output }) => output.summary ?? "");
}

/** Newest first. */
async function findChecks(github: GitHub, target: CheckPlace) {
  const existing = await listChecks(github, target);
  const checks = existing.map(({ id, status }) => ({ id: Number(id), isOpen: status !== "completed" }));
  return checks.toSorted((a, b) => b.id - a.id);
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
    ...defined({ details_url: page, conclusion }),
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
