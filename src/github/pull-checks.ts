import { lastPart } from "../ports/shorten.ts";
import { statusOf } from "./api.ts";
import { type GitHub, GitHubError } from "./client.ts";

/** The checks of a commit, and what the token may not read of those that failed. */
export async function readChecks(github: GitHub, head: string, isOwn: (name: string) => boolean) {
  const target = { ...github.at, ref: head, per_page: 100 };
  const [runs, statuses] = await Promise.all([
    github.paginate("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", target),
    readStatuses(github, target),
  ]);
  const refusals = new Map<string, string>();
  const refused: Refused = (what, permission, error) => {
    const remedy = `give the job \`permissions: ${permission}\``;
    refusals.set(what, `${what} are missing in the prompt (${error.message}): ${remedy}`);
  };
  const others = runs.filter(({ name }) => !isOwn(name));
  const checks = await Promise.all(
    others.map(async ({ id, name, status, conclusion, output }) => {
      const isFine = ["success", "neutral", "skipped"].includes(conclusion ?? "");
      const state = status !== "completed" ? "pending" : isFine ? "passed" : "failed";
      if (state !== "failed") return { name, state } as const;
      const [log, report] = await Promise.all([
        readLog(github, Number(id), refused),
        readReport(github, { id: Number(id), output }, refused),
      ]);
      return { name, state, log, report } as const;
    }),
  );
  return { checks: [...checks, ...statuses], refusals: [...refusals.values()] };
}

/** Remembers once for all checks what the token may not read. */
type Refused = (what: string, permission: string, error: GitHubError) => void;

/** Commit statuses, which older CI systems report instead of checks: the latest one of each context. */
async function readStatuses(github: GitHub, target: GitHub["at"] & { readonly ref: string }) {
  const route = "GET /repos/{owner}/{repo}/commits/{ref}/status";
  const { data } = await github.request(route, target).catch((error: unknown) => {
    // A token may be allowed to read checks but not statuses.
    if (![403, 404].includes(statusOf(error) ?? 0)) throw error;
    return { data: { statuses: [] } };
  });
  return data.statuses.map(({ context: name, state: text, description, target_url: link }) => {
    const state = text === "success" ? "passed" : text === "pending" ? "pending" : "failed";
    const log = [description ?? "", link ?? ""].filter((text) => text !== "").join("\n");
    return { name, state, ...(state === "failed" ? { log } : {}) } as const;
  });
}

/** The end of a job's log; empty if the check is not a job. */
async function readLog(github: GitHub, id: number, refused: Refused): Promise<string> {
  try {
    const route = "GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs";
    const { data } = await github.request(route, { ...github.at, job_id: id });
    return lastPart(String(data), 12_000);
  } catch (error) {
    if (isRefusal(error)) refused("the logs of failed jobs", "actions: read", error);
    return "";
  }
}

interface FailedCheck {
  readonly id: number;
  readonly output: {
    readonly title: string | null;
    readonly summary: string | null;
    /** Missing in answers of older hosts. */
    readonly text?: string | null;
    readonly annotations_count: number;
  };
}

/** What the app that made a check says about its failure. */
async function readReport(github: GitHub, { id, output }: FailedCheck, refused: Refused) {
  const { title, summary, text, annotations_count: count } = output;
  const annotations = count > 0 ? await readAnnotations(github, id, refused) : [];
  return {
    title: title ?? "",
    text: [summary, text].filter(Boolean).join("\n\n"),
    annotations,
    unread: Math.max(0, count - annotations.length),
  };
}

async function readAnnotations(github: GitHub, id: number, refused: Refused) {
  const route = "GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations";
  try {
    const { data } = await github.request(route, { ...github.at, check_run_id: id, per_page: 50 });
    return data.map((annotation) => ({
      path: annotation.path,
      line: annotation.start_line,
      endLine: annotation.end_line,
      level: annotation.annotation_level ?? "",
      title: annotation.title ?? "",
      message: [annotation.message, annotation.raw_details].filter(Boolean).join("\n"),
    }));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    refused("the annotations of failed checks", "checks: read", error);
    return [];
  }
}

const isRefusal = (error: unknown): error is GitHubError =>
  error instanceof GitHubError && error.status === 403;
